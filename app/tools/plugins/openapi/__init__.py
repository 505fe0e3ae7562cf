"""OpenAPI specifications: read, mended, as operations one can call."""
