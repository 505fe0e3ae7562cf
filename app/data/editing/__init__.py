"""Workflows a person changes: what each argument may be, and what came of a change."""
