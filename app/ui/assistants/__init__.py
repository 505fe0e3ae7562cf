"""The page of assistants: put together, published, taken back."""
