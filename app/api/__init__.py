"""Deskpilot from Python: `from app import Interpreter`."""
