"""The dashboard: what stands where, and what a first run shows."""
