"""What a request demands, what a plan does, and what of the one the other leaves out."""

from backends.planning.checking.single import doubts_of_steps

__all__ = ["doubts_of_steps"]
