"""A key that is heard while other windows are in front, where the system allows it."""
