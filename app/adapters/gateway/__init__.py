"""The terminal without a window: LMC messages, published assistants, and our tables for MCP
clients.
"""
