"""Markdown as text documents: blocks, inline markup, tables, code and formulas."""
