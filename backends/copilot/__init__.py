"""The local copilot. It is stateless: a request comes in, events go out."""

from backends.copilot.answer import answer
from backends.copilot.models import CopilotModels, NoModel

__all__ = ["CopilotModels", "NoModel", "answer"]
