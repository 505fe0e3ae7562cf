"""Access to copilots that use any version of the OpenBB protocol."""
