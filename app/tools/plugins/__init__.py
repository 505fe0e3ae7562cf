"""Plugins: a manifest, an OpenAPI specification, and the calls that come of them."""
