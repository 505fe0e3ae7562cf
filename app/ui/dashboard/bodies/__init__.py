"""The kinds of content a tile can show, one file for each."""
