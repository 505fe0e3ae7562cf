"""The library of workflows in the window: read, run, changed, tried out, removed."""
