"""What copilots think aloud, kept apart from what they answer."""
