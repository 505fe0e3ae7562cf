"""The window of Deskpilot; the only package that uses Qt."""
