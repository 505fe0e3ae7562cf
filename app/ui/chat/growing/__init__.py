"""Answers that grow by the word, without end in sight."""
