"""Tables: open, profile, query."""
