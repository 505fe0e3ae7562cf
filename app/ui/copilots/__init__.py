"""The choice of copilot: its menu, adding a copilot, its details."""
