"""Names of languages, what of an output is told, and code that only computes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.code import (
    HEAD,
    TAIL,
    TOLD,
    Clip,
    Limits,
    head_and_tail,
    language_of,
    only_computes,
    size,
)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Python", "python"),
        ("", "python"),
        ("bash", "shell"),
        ("JS", "javascript"),
        ("ruby", None),
        ("text", None),
    ],
)
def test_a_language_has_many_names(name: str, language: str | None) -> None:
    assert language_of(name) == language


@given(st.lists(st.text(max_size=9000), max_size=8))
def test_of_what_is_printed_head_and_tail_are_told_however_it_comes(pieces: list[str]) -> None:
    whole, clip = "".join(pieces), Clip()
    shown = "".join(map(clip.take, pieces)) + clip.rest("/file")
    assert shown[:HEAD] == whole[:HEAD]
    assert shown.endswith(whole[-TAIL:] if whole else "")
    assert len(shown) < HEAD + TAIL + 100
    assert (shown == whole) is (len(whole) <= HEAD + TAIL)
    told = clip.for_model()
    assert told == head_and_tail(whole)
    assert len(told) < TOLD + 100


def test_limits_are_told_in_words() -> None:
    assert Limits().words() == "300 s, 4 GB of memory, 2 GB on disk"
    assert (size(10), size(1536), size(5 << 20)) == ("10 bytes", "1.5 KB", "5 MB")


@pytest.mark.parametrize(
    "code",
    [
        "print(sum(range(10)))",
        "import pandas as pd\ndf = us_macro.groupby('year').unemp.mean()\nprint(df.to_string())",
        "import matplotlib.pyplot as plt\nplt.plot(us_macro.unemp)\nplt.show()",
    ],
)
def test_this_only_computes(code: str) -> None:
    assert only_computes("python", code)


@pytest.mark.parametrize(
    "code",
    [
        "open('x')",
        "import os",
        "from os import path",
        "df.to_csv('x')",
        "pd.read_csv('/etc/passwd')",
        "!ls",
        "%cd /",
        "().__class__",
        "x = eval",
        "plt.savefig('x.png')",
        "pd.io.common.os.unlink('x')",
        "import random\nrandom._os.unlink('x')",
        "from . import x",
        "print(",
    ],
)
def test_this_may_do_more_than_compute(code: str) -> None:
    assert not only_computes("python", code)
    assert not only_computes("shell", "echo 1")
