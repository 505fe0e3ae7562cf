"""Requests put together of parts: what is measured, of whom, when, made into what, shown how."""
