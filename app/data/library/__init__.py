"""The library of validated workflows, and the notes on their tables."""
