"""The model service: found, started, watched, asked."""
