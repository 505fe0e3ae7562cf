"""What may be wrong with a plan: each function yields the words of a request that it does not
serve.
"""
