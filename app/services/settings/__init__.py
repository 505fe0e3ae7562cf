"""Settings: kept, changed, told to whom they matter."""
