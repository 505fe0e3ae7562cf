"""Values of the data that occur in a question."""
