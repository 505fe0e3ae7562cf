"""What a call used and what it cost."""

from __future__ import annotations

from decimal import Decimal

from pydantic import BaseModel


class ModelUsage(BaseModel):
    """Base of the usages."""


class LLMUsage(ModelUsage):
    """Tokens, prices (per unit of tokens) and seconds of one answer."""

    prompt_tokens: int
    prompt_unit_price: Decimal
    prompt_price_unit: Decimal
    prompt_price: Decimal
    completion_tokens: int
    completion_unit_price: Decimal
    completion_price_unit: Decimal
    completion_price: Decimal
    total_tokens: int
    total_price: Decimal
    currency: str
    latency: float


class EmbeddingUsage(ModelUsage):
    """Tokens, price and seconds of one batch of texts."""

    tokens: int
    total_tokens: int
    unit_price: Decimal
    price_unit: Decimal
    total_price: Decimal
    currency: str
    latency: float
