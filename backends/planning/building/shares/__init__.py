"""Requests about parts of a whole."""
