"""Models that recognise harmful text."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from backends.flexai.entities import ModelType, Verdict
from backends.flexai.models.ai_model import AIModel


class ModerationModel(AIModel):
    """A model that distinguishes harmful text from safe text.

    In addition to `invoke`, which returns a bool, `judge` returns the kinds of harm. A model that
    implements only `_invoke` reports none.
    """

    model_type: ClassVar[ModelType] = ModelType.MODERATION

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        """Return whether the text is harmful."""

    def _judge(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> Verdict:
        """Return whether the text is harmful, and in which way."""
        return Verdict(flagged=self._invoke(model, credentials, text, user))

    def invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        """Return True for harmful text, False for safe or empty text.

        A failed check raises an error: unchecked text is never reported as safe. Raises:
        InvokeError and its kinds.
        """
        if not text.strip():
            return False
        with self.mapped_errors():
            return self._invoke(model, credentials, text, user)

    def judge(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> Verdict:
        """Return whether the text is harmful, and the kinds of harm; empty text is safe.

        Raises: as `invoke`.
        """
        if not text.strip():
            return Verdict(flagged=False)
        with self.mapped_errors():
            return self._judge(model, credentials, text, user)
