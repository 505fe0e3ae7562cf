"""The model service: starting it, watching it, and sending it requests."""
