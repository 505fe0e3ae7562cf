"""Documents: folders and files that are read, indexed and searched, and cited by page."""
