"""Voice: dictation, reading aloud, talk."""
