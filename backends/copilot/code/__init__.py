"""Code that the copilot asks the terminal to run."""
