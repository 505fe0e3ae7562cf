"""The model service over HTTP."""
