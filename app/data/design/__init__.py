"""Interfaces designed from tables: possible requests, how to answer them, and which can be
merged.
"""
