"""The databases a person added, and copies of their tables."""
