"""Workflows in the window: view, change, run, save; and the library."""
