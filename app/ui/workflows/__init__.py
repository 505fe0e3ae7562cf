"""Workflows in the window: viewing, changing, running and saving them; and the library."""
