"""How each format of document is read."""
