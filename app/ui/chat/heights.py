"""Heights of thousands of rows: summed in chunks, so that one change touches few numbers."""

from __future__ import annotations

CHUNK = 128


class Heights:
    """Heights in pixels, by row."""

    def __init__(self) -> None:
        self.reset(0, 0)

    def reset(self, count: int, each: int) -> None:
        """Begin with `count` rows of one height."""
        self._all = [each] * count
        self._sums = [sum(self._all[i : i + CHUNK]) for i in range(0, count, CHUNK)]

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, row: int) -> int:
        return self._all[row]

    def append(self, height: int) -> None:
        """Add a row at the end."""
        if len(self._all) % CHUNK == 0:
            self._sums.append(0)
        self._all.append(height)
        self._sums[-1] += height

    def set(self, row: int, height: int) -> None:
        """Change the height of a row."""
        self._sums[row // CHUNK] += height - self._all[row]
        self._all[row] = height

    def top(self, row: int) -> int:
        """Return where a row begins; for the number of rows, where the last ends."""
        chunk = row // CHUNK
        return sum(self._sums[:chunk]) + sum(self._all[chunk * CHUNK : row])

    def at(self, y: int) -> int:
        """Return the row at a height, the nearest for one outside; 0 without rows."""
        above, row = 0, 0
        for height in self._sums:
            if above + height > y:
                break
            above += height
            row += CHUNK
        while row < len(self._all) and above + self._all[row] <= y:
            above += self._all[row]
            row += 1
        return max(0, min(row, len(self._all) - 1))

    @property
    def total(self) -> int:
        """Return the height of all rows."""
        return sum(self._sums)
