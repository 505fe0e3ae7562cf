"""What the user can do, in plain asyncio and without a display."""
