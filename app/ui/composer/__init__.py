"""Where one types."""
