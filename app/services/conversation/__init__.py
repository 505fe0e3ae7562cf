"""The one turn loop: from a question to its answer, saved, checked and searchable."""
