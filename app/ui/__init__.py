"""The window; Qt is used only here."""
