"""How a database is read: in a process of its own that can be ended at any moment."""
