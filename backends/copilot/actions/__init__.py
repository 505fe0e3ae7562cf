"""Actions with tools of the terminal: which tool is meant, its arguments, its answer. Rules read
the request; where they find no tool, or not all arguments, a model chooses under a grammar, and its
choice is checked.
"""
