"""What the buttons and fields of the steps' window do, off the window's own time."""
