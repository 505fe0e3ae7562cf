"""Engines behind the FlexAI interfaces, one folder each."""
