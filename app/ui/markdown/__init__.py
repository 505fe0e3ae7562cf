"""Markdown as text documents: blocks, inline marks, tables, code, formulas."""
