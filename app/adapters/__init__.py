"""Adapters to the outside: copilots, store, model service, widgets, system."""
