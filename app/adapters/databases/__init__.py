"""Databases, which are read in separate processes that can be ended at any moment."""
