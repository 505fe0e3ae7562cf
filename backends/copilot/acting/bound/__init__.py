"""Where code finds no tool, or not all that goes into one: a model chooses under a grammar, and
what it says is checked.
"""
