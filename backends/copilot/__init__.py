"""The local copilot: stateless, a query in, events out."""
