"""Measuring the doors for gateways."""
