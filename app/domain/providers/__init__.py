"""Providers: who offers models, what they ask for, and which of them were added here."""
