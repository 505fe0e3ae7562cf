"""Code in a conversation: asked for, allowed by a person, run, its output kept."""
