"""Which copilot answers: its menu, adding one, its details."""
