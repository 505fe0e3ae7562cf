"""Steps that a model chooses, one at a time, if the rules leave words of a request unused; the
terminal runs each.
"""
