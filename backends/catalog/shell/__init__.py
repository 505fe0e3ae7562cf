"""What `deskpilot models` prints."""
