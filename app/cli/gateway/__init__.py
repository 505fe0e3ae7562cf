"""The terminal without a window, and code that is allowed in a shell."""
