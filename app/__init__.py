"""The terminal: keeps the conversation, owns the data, does every side effect."""
