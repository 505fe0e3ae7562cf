"""Interfaces designed from tables: what could be asked, how it is answered, what can be one
interface.
"""
