"""Interfaces designed from tables: the possible requests, how to answer them, and which interfaces
can be merged.
"""
