"""Values of what one does with conversations: branches, groups of a list, files they travel in."""
