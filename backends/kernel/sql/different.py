"""The SELECT of a column's different values."""

from __future__ import annotations


def different_values(name: str, ordinal: str, relation: str, clause: str, most: int) -> str:
    """Return the SQL for the most frequent values, empty cells last, in one pass over the table.

    Each row: the value, how often it occurs, and what is the same in each: how many different ones there are, rows,
    and cells that are not empty. name: quoted.
    """
    each = f"SELECT {name} AS v, count(*) AS n, min({ordinal}) AS earliest FROM {relation} WHERE {clause} GROUP BY 1"
    return (
        f"WITH each_value AS MATERIALIZED ({each}), all_of_them AS"
        " (SELECT count(v) AS many, sum(n) AS met, sum(n) FILTER (v IS NOT NULL) AS held FROM each_value)"
        " SELECT v, n, many, met, held FROM each_value, all_of_them"
        f" ORDER BY v IS NULL, n DESC, earliest LIMIT {most}"
    )
