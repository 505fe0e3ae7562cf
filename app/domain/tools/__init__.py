"""Tools a copilot may have the terminal call: of plugins, of MCP servers, of the terminal itself."""
