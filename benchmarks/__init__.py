"""Benchmarks on held-out data: quality, usefulness for an NLU, speed. `grice bench NAME` runs them."""
