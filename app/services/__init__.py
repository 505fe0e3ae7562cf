"""What one can do; plain asyncio, runs without a display."""
