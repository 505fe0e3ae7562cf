"""LMC chunks and the messages they make."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation import Turn, branch_to
from app.domain.stream import Chunk, Message, fold
from app.services.conversation.recorder import Recorder

TEXT = st.text(max_size=8)
KINDS = st.sampled_from(
    [
        ("user", "message", None), ("assistant", "message", None), ("assistant", "code", "python"),
        ("assistant", "code", "shell"), ("computer", "console", "output"), ("computer", "image", "base64.png"),
        ("user", "image", "path"), ("computer", "code", "html"), ("user", "file", None),
    ]
)  # fmt: skip
MESSAGES = st.builds(
    lambda kind, content, recipient: Message(kind[0], kind[1], content, kind[2], recipient),  # type: ignore[arg-type]
    KINDS,
    TEXT,
    st.sampled_from([None, "user", "assistant"]),
)


def streamed(messages: list[Message], cuts: list[int]) -> list[Chunk]:
    """Return messages as they are streamed: cut anywhere, lines that run and confirmations among
    them.
    """
    made: list[Chunk] = []
    cut = iter(cuts * (1 + sum(len(m.content) for m in messages)) or [1])
    for m in messages:
        form = None if m.type == "console" else m.format  # lines that run stand inside of a console
        made.append(Chunk(m.role, m.type, None, form, m.recipient, start=True))
        rest = m.content
        while rest:
            size = next(cut)
            if m.type == "console":
                made.append(Chunk(m.role, m.type, str(size), "active_line"))
            made.append(Chunk(m.role, m.type, rest[:size], m.format, m.recipient))
            rest = rest[size:]
        made.append(Chunk(m.role, m.type, None, form, m.recipient, end=True))
        if m.type == "code":
            content = {"type": "code", "format": m.format, "content": m.content}
            made.append(Chunk("computer", "confirmation", content, "execution"))
    return made


@given(st.lists(MESSAGES, max_size=6), st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_folding_a_stream_gives_its_messages(messages: list[Message], cuts: list[int]) -> None:
    assert fold(streamed(messages, cuts)) == messages


class Nowhere:
    """A store that keeps nothing."""

    async def put_items(self, *_: object) -> None:
        """Take what is to be kept."""


@given(
    st.lists(MESSAGES, max_size=6),
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.booleans(),
)
def test_what_a_turn_streams_folds_into_what_it_keeps(
    messages: list[Message], cuts: list[int], flags: bool
) -> None:
    turn = Turn("t", "c", None, "q", "running", 0.0)
    recorder, out = Recorder(turn, Nowhere()), list[Chunk]()  # type: ignore[arg-type]
    for chunk in streamed(messages, cuts):
        if chunk.type != "confirmation" and (flags or not (chunk.start or chunk.end)):
            out += recorder.chunks(chunk)
    out += recorder.end_message()
    kept = [replace(m, id=None, created_at=None) for m in turn.items if isinstance(m, Message)]
    assert fold(out) == kept
    assert all(c.content is None for c in out if c.start or c.end)
    if flags:
        assert [m for m in kept if m.content] == [m for m in messages if m.content]


def test_active_lines_and_confirmations_are_not_kept() -> None:
    chunks = [
        Chunk("computer", "console", start=True),
        Chunk("computer", "console", "1", format="active_line"),
        Chunk("computer", "console", "out", format="output"),
        Chunk("computer", "console", end=True),
        Chunk("computer", "confirmation", {"type": "code"}, format="execution"),
    ]
    assert fold(chunks) == [Message("computer", "console", "out", "output")]


def test_that_no_line_runs_is_told_as_null() -> None:
    told = Chunk("computer", "console", None, "active_line").as_dict()
    assert told == {"role": "computer", "type": "console", "format": "active_line", "content": None}


def test_flags_carry_no_content_and_content_no_flag() -> None:
    assert Chunk("assistant", "message", start=True).as_dict() == {
        "role": "assistant",
        "type": "message",
        "start": True,
    }
    assert Chunk("assistant", "message", "x").as_dict() == {
        "role": "assistant",
        "type": "message",
        "content": "x",
    }


def test_a_branch_leads_from_the_first_turn_to_the_last() -> None:
    turns = [
        Turn(i, "c", parent, i, "done", 0.0)
        for i, parent in (("a", None), ("b", "a"), ("b2", "a"), ("c", "b2"))
    ]
    assert [t.id for t in branch_to(turns, "c")] == ["a", "b2", "c"]
