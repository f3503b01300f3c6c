"""Grice as tools of the Model Context Protocol: `grice mcp`. Needs mcp: `pip install 'grice[mcp]'`."""
