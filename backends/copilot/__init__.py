"""The local copilot: stateless, a query in, events out."""

from backends.copilot.answer import answer
from backends.copilot.models import Models, NoModel

__all__ = ["Models", "NoModel", "answer"]
