"""Document libraries: their files, the files' states, and search."""
