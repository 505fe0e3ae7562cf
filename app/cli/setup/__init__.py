"""Commands that set Deskpilot up: providers and settings."""
