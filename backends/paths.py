"""Where Deskpilot keeps its files."""
