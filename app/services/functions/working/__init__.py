"""Functions that ask for work: of other copilots, or of what was taught."""
