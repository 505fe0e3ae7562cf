"""Adapters to everything outside the terminal: copilots, the store, the model service, widgets and
the operating system.
"""
