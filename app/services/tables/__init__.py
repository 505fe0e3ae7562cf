"""Widgets whose content can be asked as a table."""
