"""From a plain question to readings of it, without a language model."""
