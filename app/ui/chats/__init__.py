"""The list of conversations: groups, what was found, and what one can do with each."""
