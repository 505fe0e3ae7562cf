"""The turn loop that leads from every question to its answer, which is saved, checked and
searchable."""
