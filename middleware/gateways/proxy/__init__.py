"""The proxy in front of an OpenAI-compatible server: `grice proxy --upstream URL`."""
