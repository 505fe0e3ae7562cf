"""The one turn loop: from a question to its answer, kept, checked, told and found again."""
