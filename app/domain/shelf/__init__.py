"""Models one can have, and where they are."""
