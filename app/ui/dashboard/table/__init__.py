"""The table of a card: rows, cells, columns, order."""
