"""What columns of common names are called in requests."""
