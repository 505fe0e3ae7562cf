"""The turns that lead to a question, whatever was asked again on the way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation import Turn, branch_to


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=30),
    st.integers(0, 40),
    st.none() | st.integers(1, 10),
)
def test_a_branch_is_the_line_of_parents_the_newest_of_it(
    parents: list[int], last: int, limit: int | None
) -> None:
    turns = [
        Turn(str(n), "c", str(parent % n) if n and parent else None, "q", "done", 0.0)
        for n, parent in enumerate(parents)
    ]
    by_id = {turn.id: turn for turn in turns}
    truth: list[str] = []
    at = str(last) if str(last) in by_id else None
    while at is not None:
        truth.insert(0, at)
        at = by_id[at].parent
    found = [turn.id for turn in branch_to(turns, str(last), limit)]
    assert found == (truth if limit is None else truth[-limit:])
    assert branch_to(turns, None) == []
