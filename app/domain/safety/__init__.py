"""What foreign content would do if one let it."""
