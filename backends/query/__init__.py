"""Questions and queries: a question is interpreted by rules or by a model as a `Query`, which can
also be described in words.
"""
