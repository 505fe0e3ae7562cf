"""Adapters to everything outside the terminal: copilots, store, model service, widgets, system."""
