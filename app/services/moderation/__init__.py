"""Questions and answers checked by a guard model, where the settings ask for it."""
