"""Sources of data: opened, profiled, asked."""
