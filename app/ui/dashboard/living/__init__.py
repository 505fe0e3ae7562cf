"""Widgets that are fetched or read: what their cards show and do."""
