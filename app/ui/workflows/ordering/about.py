"""What each step is for, in a sentence one searches, and what it would have to take."""

from __future__ import annotations

from app.ui.words import mark, tr
from app.ui.workflows.words import does

ABOUT = {
    "read_rows": mark("Rows of a table that meet conditions, as they stand."),
    "read_series": mark("Columns day by day, or one row for each month, quarter or year."),
    "read_cross_section": mark(
        "One row for each shop, share or country, at one day or the newest."
    ),
    "read_constituents": mark("Who belongs to a group, such as the shares of an index."),
    "query": mark("A SELECT in SQL over your tables; it only reads."),
    "returns": mark("How far a price has come, in percent, since the start or from row to row."),
    "total_return": mark("What one earned between two days, in percent, as one number."),
    "growth": mark("First and last value of each, and the difference."),
    "change": mark("Difference to the row before, or year on year."),
    "cumulate": mark("The sum of a column up to each row."),
    "rolling": mark("Moving average, sum, highest or lowest of the last rows."),
    "resample": mark("Days made weeks, months, quarters or years."),
    "combine": mark("Sum, mean, count and the like, for each group or for all rows."),
    "summarise": mark(
        "Several columns summed up or averaged at once, for each group and each period."
    ),
    "mean_median": mark("Average and middle value of a column."),
    "correlation": mark("How two columns go together, as one number from -1 to 1."),
    "correlations": mark("How two columns go together, a number for each group."),
    "compute": mark("A new column: one plus, less, times or divided by another, or by a number."),
    "technical": mark("MACD, KDJ, RSI, Bollinger bands or CCI of a price."),
    "forecast": mark("The next values of a series, with a range they will likely lie in."),
    "line": mark("A line chart, a line for each column or each of a group."),
    "bar": mark("A bar chart, such as of shops at one day."),
    "scatter": mark("A chart of points, one column across, another upwards."),
    "pie": mark("A pie chart: parts of a whole."),
    "candlestick": mark(
        "A chart of opening, high, low and closing price, with volume and indicators."
    ),
    "overlay": mark("Several charts in one, such as bars and a line."),
    "show_table": mark("Rows as a table in the answer, saved as CSV if you like."),
    "select": mark("Fewer columns, or only rows that meet conditions."),
    "read_value": mark("One cell, as a number or a word."),
    "merge": mark("Joins two results where columns are the same."),
    "stack": mark("Rows of several results below each other."),
    "pivot": mark("A column for each value, like a cross table."),
    "unpivot": mark("Columns become rows: a name and a value each."),
    "rank": mark(
        "Sorts rows by a column, the highest or lowest first; the top so many, if you like."
    ),
    "loop_rank": mark("Computes a number for each of a column's values, and sorts by it."),
    "rename": mark("Gives columns other names."),
}
KINDS = {
    "acquisition": mark("Get"),
    "manipulation": mark("Arrange"),
    "processing": mark("Compute"),
    "prediction": mark("Predict"),
    "visualization": mark("Show"),
}


def about(interface: str) -> str:
    """Return what a step is for, in a sentence."""
    return tr(ABOUT[interface]) if interface in ABOUT else ""


def lacks(what: str) -> str:
    """Return in words what a step would have to take and is not there."""
    told = {
        "rows": tr("It needs the rows of a step before it."),
        "two_rows": tr("It needs the rows of two steps before it."),
        "two_charts": tr("It needs two charts drawn before it."),
        "table": tr("It needs a table that is open here."),
    }
    return told.get(what, "")


def searched(interface: str) -> str:
    """Return all the words by which a step is found."""
    return f"{does(interface)} {about(interface)} {interface.replace('_', ' ')}".casefold()
