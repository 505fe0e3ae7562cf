"""The choice of copilot: the menu, adding a copilot, and a copilot's details."""
