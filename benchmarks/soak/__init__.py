"""A long run with mixed traffic and faults, after which everything has to add up: `python -m grice.benchmarks.soak`."""
