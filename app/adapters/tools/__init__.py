"""The tools of other people, put together with where they are kept."""
