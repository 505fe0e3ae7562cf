"""Lists of LMC messages as conversations, answered as LMC chunks."""
