"""Tools the terminal runs for a copilot."""
