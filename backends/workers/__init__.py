"""FlexAI models in child processes, with streaming, cancellation, typed errors and one memory
budget."""

from backends.workers.budget import Budget, Memory, ModelDemand
from backends.workers.pool import Workers
from backends.workers.protocol import LoadedWorker, Pool

__all__ = ["Budget", "LoadedWorker", "Memory", "ModelDemand", "Pool", "Workers"]
