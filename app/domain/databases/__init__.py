"""Databases whose tables one reads: where they are, what they hold."""
