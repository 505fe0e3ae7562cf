"""The turn loop, which answers each question and makes sure that the answer is saved, checked and
searchable.
"""
