"""Editing workflows: the values that each argument can have, and the result of a change."""
