"""Voice in the window: the microphone button, dictation and reading aloud."""
