"""Voice: answers made for the ear and spoken."""
