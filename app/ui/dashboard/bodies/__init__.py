"""What a tile can show besides a table."""
