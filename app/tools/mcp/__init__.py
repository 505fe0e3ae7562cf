"""Servers of the Model Context Protocol, as servers of tools."""
