"""Requests for one number, a rank or a table at one point or over a range: values, sums, ratios,
correlations.
"""

from __future__ import annotations

from typing import Any

from backends.planning.asked import Asked, Builder
from backends.planning.shapes.groups import finish, statistics
from backends.planning.shapes.read import HOW, Read, repeated
from backends.planning.tables import View

SIGNS = {"ratio": "/", "minus": "-", "times": "*"}


def correlation(asked: Asked) -> Builder | None:
    """How two columns go together: of one table, or of two joined by day or by entity."""
    if not asked.wanted.has("correlation"):
        return None
    build = Builder()
    pair = two_columns(asked, build)
    if pair is None:
        return None
    rows, x, y, title = pair
    build.add("correlation", title, data=rows, x=x, y=y)
    if asked.wanted.form == "scatter" or asked.wanted.has("draw"):
        build.add("scatter", title, data=rows, x=x, y=[y], title=title)
    return build


def arithmetic(asked: Asked) -> Builder | None:
    """A new column of two: their ratio, difference or product."""
    sign = next((SIGNS[cue] for cue in ("ratio", "minus", "times") if asked.wanted.has(cue)), None)
    if sign is None:
        return None
    build = Builder()
    pair = two_columns(asked, build)
    if pair is None:
        return None
    rows, x, y, _ = pair
    name = f"{x} {sign} {y}"
    made = build.add("compute", name, data=rows, name=name, first=x, operator=sign, second=y)
    view = asked.view(str(build.steps[0].arguments["source"]))
    by, names, _ = asked.filters(view)
    title = asked.title(name)
    interface = build.steps[0].interface
    if interface == "read_series":
        time = view.time[0] if view.profile.column(view.time[0]).kind == "date" else "date"  # type: ignore[union-attr]
        kept = by if build.steps[0].arguments.get("by") else None
        build.add("line", title, data=made, x=time, y=[name], by=kept, title=title)
        return build
    label = by if by and not names else view.entity
    if label is None:
        return None
    ascending = asked.wanted.has("lowest") and not asked.wanted.has("rank")
    ranked = build.add(
        "rank", title, data=made, by=name, descending=not ascending, n=asked.wanted.n
    )
    finish(asked, build, ranked, label, name, title)
    return build


def two_columns(asked: Asked, build: Builder) -> tuple[str, str, str, str] | None:
    """Add the steps that bring two columns side by side; return rows, both columns and a title."""
    metrics = [m for m in asked.metrics if m.score >= 0.75] or asked.metrics
    first = next(iter(sorted(metrics[:4], key=lambda m: m.at)), None)
    if first is None:
        return None
    other = next((m for m in metrics if m.at != first.at and m.source == first.source), None)
    other = other or next((m for m in metrics if m.at != first.at), None)
    if other is None:
        return None
    view, beside = asked.view(first.source), asked.view(other.source)
    title = asked.title(f"{first.column}, {other.column}")
    if view is beside:
        if view.time and (
            asked.time.grain
            or asked.wanted.has("trend", "draw")
            or not asked.wanted.has("rank", "lowest", "members")
        ):
            read = Read(asked, build, view, [first.column, other.column])
            return read.rows, first.column, other.column, title
        return side_by_side(asked, build, view, first.column, other.column, title)
    if view.time and beside.time:
        one, two = (
            Read(asked, build, view, [first.column]),
            Read(asked, build, beside, [other.column]),
        )
        right = two.rows
        if one.time != two.time:
            right = build.add("rename", title, data=right, names={two.time: one.time})
        joined = build.add("merge", title, left=one.rows, right=right, on=[one.time])
        second = other.column if other.column != first.column else f"{other.column} 2"
        return joined, first.column, second, title
    link = next((x for x in asked.links if x.source == view.uuid and x.other == beside.uuid), None)
    if link is None:
        return None
    left = build.add("read_rows", title, source=view.uuid, columns=[link.column, first.column])
    right = build.add(
        "read_rows", title, source=beside.uuid, columns=[link.other_column, other.column]
    )
    if link.column != link.other_column:
        right = build.add("rename", title, data=right, names={link.other_column: link.column})
    joined = build.add("merge", title, left=left, right=right, on=[link.column])
    return joined, first.column, other.column, title


def side_by_side(
    asked: Asked, build: Builder, view: View, first: str, second: str, title: str
) -> tuple[str, str, str, str]:
    """Read two columns of one table for each of its entities."""
    by, names, where = asked.filters(view)
    label = by or view.entity
    conditions: list[dict[str, Any]] = list(where)
    if names and by:
        conditions.append({"column": by, "op": "in", "value": names})
    columns = [*([label] if label else []), first, second]
    rows = build.add("read_rows", title, source=view.uuid, columns=columns, where=conditions)
    return rows, first, second, title


def ranked(asked: Asked) -> Builder | None:
    """A column summed, averaged or read for each entity over a range, ranked, as bars."""
    wanted = asked.wanted
    chosen = asked.chosen()
    if chosen is None or not (
        wanted.has("rank", "lowest", "members", "compare", "draw") or wanted.form
    ):
        return None
    view, columns = chosen
    by, names, where = asked.filters(view)
    label = by or view.entity
    if label is None:
        return None
    build = Builder()
    column, title = columns[0], asked.title(columns[0])
    if view.time and (repeated(view, None) or asked.time.start):
        rows = build.add(
            "read_series",
            title,
            source=view.uuid,
            time=view.time,
            columns=[column],
            by=label,
            entities=names,
            where=where,
            **asked.span(),
        )
        profile = view.profile.column(column)
        how = next(
            (h for h in HOW if wanted.has(h)), "sum" if profile and profile.additive else "mean"
        )
        rows = build.add("combine", title, data=rows, column=column, aggregate=how, by=[label])
        column = f"{how} of {column}"
    else:
        conditions = [*where, *([{"column": label, "op": "in", "value": names}] if names else [])]
        rows = build.add(
            "read_rows", title, source=view.uuid, columns=[label, column], where=conditions
        )
    ascending = wanted.has("lowest") and not wanted.has("rank")
    rows = build.add("rank", title, data=rows, by=column, descending=not ascending, n=wanted.n)
    finish(asked, build, rows, label, column, title)
    return build


def value(asked: Asked) -> Builder | None:
    """A column of one or several entities at one point, told; or mean and median over a range."""
    wanted = asked.wanted
    chosen = asked.chosen()
    if chosen is None or not asked.entities:
        return None
    view, columns = chosen
    if not view.time:
        return None
    build = Builder()
    if wanted.has("mean", "median") and not asked.time.is_point:
        read = Read(asked, build, view, columns[:1])
        statistics(asked, build, read.rows, columns[0], read.by)
        return build
    by, names, where = asked.filters(view)
    if by is None or not names:
        return None
    rows = build.add(
        "read_cross_section",
        asked.title(columns[0]),
        source=view.uuid,
        by=by,
        entities=names,
        where=where,
        columns=columns,
        time=view.time,
        **asked.at(view),
        exact=bool(asked.time.exact) or None,
    )
    if len(names) == 1 and len(columns) == 1:
        build.add("read_value", asked.title(columns[0]), data=rows, column=columns[0])
        return build
    build.add(
        "show_table",
        asked.title(", ".join(columns)),
        data=rows,
        title=asked.title(", ".join(columns)),
    )
    return build
