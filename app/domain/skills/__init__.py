"""What a person taught: instructions by name."""
