"""FlexAI models in child processes: streaming, cancellation, typed errors, one memory budget."""

from backends.workers.budget import Budget, Memory, ModelDemand
from backends.workers.pool import LoadedWorker, Workers

__all__ = ["Budget", "LoadedWorker", "Memory", "ModelDemand", "Workers"]
