"""An open conversation: all its turns, and the branch of them that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.conversation import branch_to

if TYPE_CHECKING:
    from app.domain.conversation import Turn


class Thread:
    """Turns that branch where one was asked again.

    turns: all, each behind the one it follows. path: those shown, oldest first. Of a conversation that never
    branched no turn is looked at: most of a long one is not read yet.
    """

    def __init__(
        self, turns: list[Turn], shown: str | None = None, *, branched: bool = False
    ) -> None:
        self.turns = list(turns)
        self._branched = branched
        self._children: dict[str | None, list[Turn]] = {}
        if branched:
            for turn in turns:
                self._children.setdefault(turn.parent, []).append(turn)
        self.path = self._path(shown) if branched else list(turns)

    def _path(self, shown: str | None) -> list[Turn]:
        found = branch_to(self.turns, shown)
        if found or not self.turns:
            return found
        return branch_to(self.turns, self.turns[-1].id)  # what was shown is gone: the newest

    def add(self, turn: Turn) -> bool:
        """Take up a new turn and show its branch; tell whether other turns had to give way."""
        follows = (self.path[-1].id if self.path else None) == turn.parent
        if not follows and not self._branched:
            self._branched = True
            for other in self.turns:
                self._children.setdefault(other.parent, []).append(other)
        if self._branched:
            self._children.setdefault(turn.parent, []).append(turn)
        self.turns.append(turn)
        kept = self.path if follows else branch_to(self.turns, turn.parent)
        self.path = [*kept, turn]
        return not follows

    def drop(self, turn: Turn) -> bool:
        """Take the newest turn away again, which was never asked; tell whether it was here."""
        if not self.turns or self.turns[-1] is not turn:
            return False
        self.turns.pop()
        if turn in self._children.get(turn.parent, []):
            self._children[turn.parent].remove(turn)
        self.path = branch_to(self.turns, self.turns[-1].id) if self.turns else []
        return True

    def place(self, turn: Turn) -> tuple[int, int]:
        """Return which of how many a turn is that were asked at the same place, counted from one."""
        if not self._branched:
            return 1, 1
        beside = [other.id for other in self._children.get(turn.parent, [])]
        return (beside.index(turn.id) + 1, len(beside)) if turn.id in beside else (1, 1)

    def switch(self, turn: Turn, step: int) -> bool:
        """Show the branch `step` places beside a turn's, to its newest end; tell whether there is one."""
        beside = self._children.get(turn.parent, [])
        at = next((n for n, other in enumerate(beside) if other.id == turn.id), -1) + step
        if not 0 <= at < len(beside) or beside[at].id == turn.id:
            return False
        last = beside[at]
        while following := self._children.get(last.id):
            last = following[-1]
        self.path = branch_to(self.turns, last.id)
        return True

    def show(self, turn_id: str) -> bool:
        """Show the branch a turn is on, to its newest end; tell whether it was hidden before."""
        if any(turn.id == turn_id for turn in self.path):
            return False
        last = turn_id
        while following := self._children.get(last):
            last = following[-1].id
        found = branch_to(self.turns, last)
        self.path = found or self.path
        return bool(found)

    def branches(self) -> dict[str, tuple[int, int]]:
        """Return the places of those turns shown that have others beside them, by their ids."""
        if not self._branched:
            return {}
        found = ((turn.id, self.place(turn)) for turn in self.path)
        return {uid: place for uid, place in found if place[1] > 1}
