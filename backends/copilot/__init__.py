"""The local copilot. It keeps no state: a request comes in, and events go out."""

from backends.copilot.answer import answer
from backends.copilot.models import CopilotModels, NoModel

__all__ = ["CopilotModels", "NoModel", "answer"]
