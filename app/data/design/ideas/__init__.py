"""What could be asked of tables: enumerated from what is known of them, and what of it is laid before a model."""
