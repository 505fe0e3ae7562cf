"""The dashboard beside the conversation."""
