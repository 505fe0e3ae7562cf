"""Copilots over the OpenBB protocol, of any generation."""
