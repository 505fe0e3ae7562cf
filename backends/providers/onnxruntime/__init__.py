"""Embedders and OCR as ONNX graphs, without torch."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider


class OnnxruntimeProvider(ModelProvider):
    """Offers text embedding and OCR."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept anything: credentials belong to the models, not to the provider."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the classes for text embedding and OCR."""
        from backends.providers.onnxruntime.ocr import OnnxOcr
        from backends.providers.onnxruntime.text_embedding import OnnxTextEmbedding

        return {ModelType.TEXT_EMBEDDING: OnnxTextEmbedding, ModelType.OCR: OnnxOcr}


provider_class = OnnxruntimeProvider
