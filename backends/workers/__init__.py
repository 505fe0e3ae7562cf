"""Any FlexAI model in a child process: same calls, streaming, cancel, typed errors, one memory
budget.
"""

from backends.workers.budget import Budget, Memory, Wanted
from backends.workers.pool import Loaded, Workers

__all__ = ["Budget", "Loaded", "Memory", "Wanted", "Workers"]
