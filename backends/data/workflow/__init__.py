"""Workflows: interfaces joined to steps that take earlier results."""
