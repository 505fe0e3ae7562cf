"""Interfaces designed from tables: possible requests, how to answer them, what can be merged."""
