"""The table of a card: its rows a page at a time, its cells, its columns, its order."""
