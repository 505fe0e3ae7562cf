"""What a plan does, in the language of its request."""
