"""Databases, read in separate processes that can be ended at any moment."""
