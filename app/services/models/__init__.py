"""The models, and the providers whose models are lent to the model service."""
