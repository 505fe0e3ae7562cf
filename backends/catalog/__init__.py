"""Models one can have: list, pull, find."""
