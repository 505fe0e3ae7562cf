"""From a plain question to readings of it, without a language model."""

from backends.understanding.asking.japanese import as_chinese, as_japanese, kana_left, spoken
from backends.understanding.coverage import NeedValues, Understanding
from backends.understanding.operations import Reading
from backends.understanding.understand import understand

__all__ = [
    "NeedValues",
    "Reading",
    "Understanding",
    "as_chinese",
    "as_japanese",
    "kana_left",
    "spoken",
    "understand",
]
