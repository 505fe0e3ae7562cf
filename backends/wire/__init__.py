"""The OpenBB protocol as values: requests in, events out."""
