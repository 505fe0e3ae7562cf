"""PDF files in a tile."""
