"""Workflows: interfaces joined into steps, which can use earlier results."""
