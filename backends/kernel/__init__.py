"""Data interfaces computed by DuckDB, each cell traceable."""
