"""Workflows in the window: view, change, run and save them; and the library."""
