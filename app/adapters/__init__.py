"""The outside of this machine: copilots, store, service, widgets."""
