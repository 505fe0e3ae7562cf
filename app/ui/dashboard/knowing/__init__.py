"""What is known of a table, shown and said anew from its card."""
