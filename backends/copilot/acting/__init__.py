"""Acting with tools of the terminal: which is meant, what goes into it, what it answered. By code;
no model guesses.
"""
