"""Libraries of documents: files, states, search."""
