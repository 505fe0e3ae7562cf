"""The contents a tile can show, one file a kind."""
