"""Access to copilots over the OpenBB protocol, of any generation."""
