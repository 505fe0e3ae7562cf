"""Acting with tools of the terminal: which one is meant, its arguments, its answer. By code; no
model guesses.
"""
