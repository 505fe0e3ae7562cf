"""Voice in the window: the microphone's button, what is heard, what is spoken."""
