"""Which copilot answers: the menu of the top bar, adding one, what is known of one."""
