"""Code and what comes of it, as values."""
