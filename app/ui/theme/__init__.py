"""The look of the window: tokens, style sheet and icons."""
