"""The composer: the text field and everything around it."""
