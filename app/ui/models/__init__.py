"""The models page: loaded, on this machine, at providers, available to download."""
