"""Skills in the window: shown, written, kept and removed."""
