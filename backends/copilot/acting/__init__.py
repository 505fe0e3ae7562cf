"""Use tools of the terminal: choose the tool, fill in its arguments, report its answer. Code
decides; no model guesses.
"""
