"""Requests that show a model how people ask of tables."""
