"""Voice in the window: microphone button, dictation, reading aloud."""
