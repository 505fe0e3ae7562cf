"""MCP servers as tool servers."""
