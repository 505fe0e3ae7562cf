"""Voice while it is spoken: dictation, hands-free talk, what one chose for them."""
