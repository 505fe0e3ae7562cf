"""Questions and queries: a question is read, or written by a model, as a `Query`, and described in
words.
"""
