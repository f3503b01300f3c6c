"""Grice inside frameworks of agents: one file a framework, each with an extra of its name."""
