"""Doors through which other programs ask this terminal."""
