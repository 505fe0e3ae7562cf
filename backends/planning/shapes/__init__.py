"""Kinds of requests, each made into steps."""
