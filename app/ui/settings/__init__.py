"""The window of the settings, made from their definitions."""
