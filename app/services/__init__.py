"""What the user can do, in plain asyncio, without a display."""
