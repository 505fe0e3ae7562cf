"""The models one can have, and the providers whose models are lent to the model service."""
