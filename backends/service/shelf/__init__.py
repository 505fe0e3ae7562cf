"""The models one can have: which are here, what they take, and fetching them."""
