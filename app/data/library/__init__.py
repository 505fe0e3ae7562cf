"""A library of workflows that were checked, and what is known of the tables they read."""
