"""The table in a card: rows, cells, columns and order."""
