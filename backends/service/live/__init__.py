"""Live sound: where speech begins and ends, and what it says meanwhile."""
