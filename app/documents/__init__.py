"""Documents: folders and files that are read, indexed, searched and cited by page."""
