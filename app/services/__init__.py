"""What a person can do, in plain asyncio, without a display."""
