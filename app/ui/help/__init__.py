"""Help: pages of Markdown from resources/help, searched and read in a window."""
