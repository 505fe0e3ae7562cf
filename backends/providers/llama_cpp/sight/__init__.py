"""Pictures for language models: read from what a message holds, seen through a projector."""
