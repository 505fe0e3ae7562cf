"""Workflows in the window: their steps read, changed, run again, kept; and the library of those
that were kept.
"""
