"""Storage of conversations on disk."""
