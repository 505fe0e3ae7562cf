"""The FlexAI model interfaces."""
