"""Conversations as files: written for people and programs, read from those of others."""
