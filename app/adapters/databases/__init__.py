"""Databases, read in a process of their own that can be ended at any moment."""
