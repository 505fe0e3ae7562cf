"""Access to copilots over any generation of the OpenBB protocol."""
