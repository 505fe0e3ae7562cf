"""Plugins: a manifest, an OpenAPI specification, and calls."""
