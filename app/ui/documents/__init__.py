"""Libraries of documents: their files and states, a search, and ways to add and remove."""
