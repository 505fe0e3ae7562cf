"""Words as data, a file for each language."""
