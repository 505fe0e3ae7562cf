"""The model service: models and the local copilot; no Qt, never the user's files."""
