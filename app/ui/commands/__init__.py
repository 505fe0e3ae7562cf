"""What one can do in the window: bound to keys, found by its words, reached from the tray."""
