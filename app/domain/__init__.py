"""Values only: no input or output, no asyncio, no Qt."""
