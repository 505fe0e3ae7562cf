"""The window in which a provider is added, made from what the provider asks for."""
