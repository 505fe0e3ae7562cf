"""The Deskpilot window. This is the only package that uses Qt."""
