"""Guard models: how each family is asked, and what its answers mean."""
