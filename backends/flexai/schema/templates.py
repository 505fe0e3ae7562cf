"""The parameters every language model shares, by template name."""

from __future__ import annotations

from typing import Any

TEMPLATES: dict[str, dict[str, Any]] = {
    "temperature": {"label": "Temperature", "type": "float", "default": 0.0, "min": 0, "max": 1, "precision": 2},
    "top_p": {"label": "Top P", "type": "float", "default": 1.0, "min": 0, "max": 1, "precision": 2},
    "top_k": {"label": "Top K", "type": "int", "default": 50, "min": 1, "max": 100, "precision": 0},
    "presence_penalty": {
        "label": "Presence penalty", "type": "float", "default": 0.0, "min": 0, "max": 1, "precision": 2,
    },
    "frequency_penalty": {
        "label": "Frequency penalty", "type": "float", "default": 0.0, "min": 0, "max": 1, "precision": 2,
    },
    "max_tokens": {"label": "Max tokens", "type": "int", "default": 64, "min": 1, "max": 2048, "precision": 0},
    "response_format": {"label": "Response format", "type": "string", "options": ["JSON", "XML"]},
    "json_schema": {"label": "JSON schema", "type": "text"},
}  # fmt: skip
