"""Plugins: a manifest, an OpenAPI specification, and its calls."""
