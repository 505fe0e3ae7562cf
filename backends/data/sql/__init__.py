"""SQL that is written elsewhere: a stranger's SELECT over several tables, that of a column's values."""
