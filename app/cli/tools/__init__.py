"""Tools of other people, from the shell."""
