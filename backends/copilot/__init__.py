"""The local copilot: stateless, a request in, events out."""

from backends.copilot.answer import answer
from backends.copilot.models import CopilotModels, NoModel

__all__ = ["CopilotModels", "NoModel", "answer"]
