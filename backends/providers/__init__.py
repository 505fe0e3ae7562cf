"""Engines behind the FlexAI interfaces, a folder each."""
