"""Metrics, intervals and tests of difference."""
