"""Stretches of a question that say a value, a period or a number."""
