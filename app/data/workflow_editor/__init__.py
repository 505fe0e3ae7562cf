"""Editing workflows: the values each argument can have, and the result of a change."""
