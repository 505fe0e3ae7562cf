"""The end of a selection that keys move."""
