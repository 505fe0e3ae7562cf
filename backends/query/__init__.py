"""Questions and queries. Rules or a model interpret a question as a `Query`, which can also be
described in words.
"""
