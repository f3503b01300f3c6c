"""Doors for what calls language models: gateways, proxies and rails. All of them go through one `check`."""
