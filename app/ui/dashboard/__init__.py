"""The widgets beside the conversation."""
