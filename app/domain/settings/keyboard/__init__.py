"""The keyboard."""
