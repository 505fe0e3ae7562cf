"""Code in the window: asked for before it runs."""
