"""Which columns, and which rows, the words of a question mean."""
