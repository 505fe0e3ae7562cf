"""MCP servers as servers of tools."""
