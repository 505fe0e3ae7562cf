"""What a request demands, what a plan or an operation does, and what of the one the other leaves
out.
"""

from backends.planning.checking.single import checked, doubts_of_reading, doubts_of_steps

__all__ = ["checked", "doubts_of_reading", "doubts_of_steps"]
