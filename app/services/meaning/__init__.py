"""Chats found by what they mean, not only by their words."""
