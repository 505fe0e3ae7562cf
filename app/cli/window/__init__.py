"""How the window is opened from the shell."""
