"""The models page: loaded, on this machine, behind providers, available to download."""
