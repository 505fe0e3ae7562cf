"""Tables in an answer: set, put in an order, copied."""
