"""What is computed, in the language of an answer."""
