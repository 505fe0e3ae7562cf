"""Voice: dictation, reading aloud and hands-free conversation."""
