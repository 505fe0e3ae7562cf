"""The skills of the person, and what a copilot is told of them."""
