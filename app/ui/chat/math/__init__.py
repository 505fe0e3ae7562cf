"""Formulas of LaTeX within an answer: found in Markdown, drawn as pictures."""
