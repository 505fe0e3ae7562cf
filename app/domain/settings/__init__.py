"""Settings as data: what can be set, one page per file."""
