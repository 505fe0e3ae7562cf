"""Workflows: interfaces joined into steps that use earlier results."""
