"""Workflows: interfaces in five classes, joined to steps that take earlier results."""
