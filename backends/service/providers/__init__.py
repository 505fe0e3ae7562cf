"""Models behind providers that a terminal lends to the service, and how they are tried out."""
