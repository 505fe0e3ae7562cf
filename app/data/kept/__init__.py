"""What is kept of tables, so that they stand on the dashboard before their files are read again."""
