"""Where sound comes from and goes to: the sound card, a file."""
