"""Settings: saved, changed, observed."""
