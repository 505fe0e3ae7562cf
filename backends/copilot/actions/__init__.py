"""Use tools of the terminal: choose the tool, fill in its arguments, report its answer.

Rules read the request. If they find no tool, or not all its arguments, a model chooses under a
grammar, and code checks its choice.
"""
