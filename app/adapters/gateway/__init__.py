"""The terminal without a window: LMC messages, published assistants, and access to our tables for
MCP clients.
"""
