"""The models one can have, asked of the model service."""
