"""What was allowed, and what can be told about this machine: pages of the settings."""
