"""LMC chunks and the messages they make."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation import Turn, branch_to, siblings
from app.domain.stream import Chunk, Message, fold

SPEAKERS = st.sampled_from(
    [("assistant", "message"), ("assistant", "code"), ("computer", "console"), ("user", "message")]
)


@given(st.lists(st.tuples(SPEAKERS, st.lists(st.text(min_size=1, max_size=5), max_size=4)), max_size=6))
def test_folding_a_stream_gives_its_messages(sent: list[tuple[tuple[str, str], list[str]]]) -> None:
    chunks: list[Chunk] = []
    for (role, kind), pieces in sent:
        chunks.append(Chunk(role, kind, start=True))  # type: ignore[arg-type]
        chunks += [Chunk(role, kind, piece) for piece in pieces]  # type: ignore[arg-type]
        chunks.append(Chunk(role, kind, end=True))  # type: ignore[arg-type]
    assert fold(chunks) == [Message(r, k, "".join(p)) for (r, k), p in sent]  # type: ignore[arg-type]


def test_active_lines_and_confirmations_are_not_kept() -> None:
    chunks = [
        Chunk("computer", "console", start=True),
        Chunk("computer", "console", "1", format="active_line"),
        Chunk("computer", "console", "out", format="output"),
        Chunk("computer", "console", end=True),
        Chunk("computer", "confirmation", {"type": "code"}, format="execution"),
    ]
    assert fold(chunks) == [Message("computer", "console", "out", "output")]


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
    assert [t.id for t in siblings(turns, turns[1])] == ["b", "b2"]
