"""Code the copilot has the terminal run: when it is wanted, how models write it, what comes of
it.
"""
