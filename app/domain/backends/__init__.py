"""Widget backends: servers that publish widgets.json and answer with their data."""
