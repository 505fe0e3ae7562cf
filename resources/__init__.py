"""Data that ships with Deskpilot."""
