"""The steps that answer a request read as its parts."""
