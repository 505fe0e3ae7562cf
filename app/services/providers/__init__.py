"""Providers one can add, those that were added, and their models lent to the model service."""
