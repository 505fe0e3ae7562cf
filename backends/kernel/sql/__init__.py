"""A stranger's SELECT over several tables."""
