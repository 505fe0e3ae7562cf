"""A model's part in a plan: one step at a time, out of what is possible with the tables and results
there are.
"""
