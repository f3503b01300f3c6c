"""What the service does among hostile callers, and when it is told to stop: `python -m grice.benchmarks.hostile` measures."""
