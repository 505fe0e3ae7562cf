"""Settings: saving, changing and observing them."""
