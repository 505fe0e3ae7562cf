"""Widgets from outside: servers that publish them, and the secrets they want."""
