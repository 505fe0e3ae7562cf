"""The settings window, built from the definitions."""
