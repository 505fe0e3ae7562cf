"""Models that read text in pictures."""

from __future__ import annotations

from abc import abstractmethod
from typing import IO, Any, ClassVar

from backends.flexai.entities import ModelType, OcrResult
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models.ai_model import AIModel

MOST = 50_000_000  # pixels in a picture


class OcrModel(AIModel):
    """A model that reads text in pictures. It is not one of the contract's six types."""

    model_type: ClassVar[ModelType] = ModelType.OCR

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, pixels: bytes
    ) -> OcrResult:
        """Read a picture."""

    def invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, picture: IO[bytes]
    ) -> OcrResult:
        """Return the lines in a picture with their positions, in reading order.

        picture: one grey byte for each pixel, row by row.
        Raises: InvokeError and its kinds; InvokeBadRequestError if the picture has another size.
        """
        pixels = picture.read()
        if min(width, height) < 1 or width * height > MOST or len(pixels) != width * height:
            raise InvokeBadRequestError(
                f"{len(pixels)} bytes are no picture of {width} by {height} pixels that can be"
                " read.",
                f"Send a byte of grey for each pixel, {MOST:,} at most.",
            )
        with self.mapped_errors():
            return self._invoke(model, credentials, width, height, pixels)
