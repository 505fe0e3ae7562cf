"""A chat completion: what is asked, and what is answered."""
