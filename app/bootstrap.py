"""Build the terminal: the one place that knows every part."""
