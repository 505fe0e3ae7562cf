"""Use the terminal's tools: choose a tool, fill in its arguments, and report its answer.

Rules read the request. If they do not find a tool, or not all of its arguments, a model chooses
one, constrained by a grammar, and code checks the choice.
"""
