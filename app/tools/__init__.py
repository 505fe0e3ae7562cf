"""Tools that the terminal runs for a copilot."""
