"""The settings window, built from the definitions of the settings."""
