"""Answers bound by grammar, and calls of tools: found in what a model writes, bound to their schemas."""
