"""Start Deskpilot from the shell."""
