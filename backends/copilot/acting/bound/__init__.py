"""If code finds no tool, or not all of its arguments, a model chooses under a grammar, and code
checks its choice.
"""
