"""Words: what they mean for a table, in each language."""
