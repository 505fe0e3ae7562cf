"""The conversation."""
