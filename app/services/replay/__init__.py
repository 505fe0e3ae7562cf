"""Workflows a person runs: changed by hand, or kept in the library; no model takes part."""
