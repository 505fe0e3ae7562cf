"""Sentences of the layers below the window, which know no languages: said in the person's where it is shown.

What is not among them is shown as it is, in English.
"""

from __future__ import annotations

import re
from functools import cache

from app.domain.errors import DeskpilotError
from app.ui.words.catalogue import mark, tr

SENTENCES = (
    mark("{name} does not answer."),
    mark("{name} has been silent for too long."),
    mark("{name} broke off in the middle of its answer."),
    mark("{name} closed the connection without an answer."),
    mark("Check that it runs, then send the question again."),
    mark("Send the question again."),
    mark("Send the question again; it is started anew."),
    mark("The answer ended in the middle of an event."),
    mark("The answer grew without end and was closed."),
    mark("The answer was stopped."),
    mark("The computation was stopped."),
    mark("Use another copilot."),
    mark("Ask for less, or use another copilot."),
    mark("Ask its maker."),
    mark("{url} cannot be reached."),
    mark("{url} is no web address."),
    mark("Check the address."),
    mark("Check the address, and that the copilot runs."),
    mark("Check the address, and that the server runs."),
    mark("The model service broke off."),
    mark("The model service did not start."),
    mark("The model service keeps ending."),
    mark("The process that runs the model has ended."),
    mark("Look into {file}."),
    mark("Try again; it is started anew."),
    mark("Try again."),
    mark("Try again later."),
    mark("There are: {names}."),
    mark("It has: {names}."),
    mark("There is no copilot {name}."),
    mark("{name} is not on this machine."),
    mark("{name} cannot be found or read."),
    mark("Check the path and its permissions."),
    mark("Check its permissions."),
    mark("Check the disk's free space."),
    mark("Check the disk's free space and permissions."),
    mark("No row meets these conditions."),
    mark("Choose another range, entity or condition."),
    mark("{value} is no number."),
    mark("{value} is no whole number."),
    mark("{value} is no day. Write it like 2024-03-31."),
    mark("{column} holds no {value}."),
    mark("{column} holds no {value}. Is {other} meant?"),
    mark("{value} is not to be chosen here."),
    mark("{value} is not to be chosen here. Is {other} meant?"),
    mark("Something must stand here."),
    mark("Choose at least one."),
    mark("Write two, with a comma between."),
    mark("It must be at least {limit}."),
    mark("It must be at most {limit}."),
    mark("It must be more than {limit}."),
    mark("It must be less than {limit}."),
    mark("It gives something else each time."),
    mark("A file changed while it ran."),
    mark("It takes more than {seconds} s."),
    mark("The columns of {name} are others than when it was made: {changes}."),
    mark("The columns of {name} are others than when it was made."),
    mark("{name} cannot be a name."),
    mark("Use small letters, digits and _, a letter first."),
    mark("Ask with fewer or other conditions."),
    mark("Choose a column of numbers."),
    mark("Ask in another way."),
    mark("Attach the file again."),
    mark("Save it as UTF-8."),
    mark("Run the same command again later; it goes on where it stopped."),
    mark("{names}: to dictate, and to hear answers."),
    mark("The database refused the user name or the password."),
    mark("Check both."),
    mark("The database does not let this user in."),
    mark("Ask who runs it."),
    mark("The server has no database of this name."),
    mark("This user may not read {what}."),
    mark("Ask its owner for the right to SELECT, or choose another."),
    mark("{what} is not there any more."),
    mark("List its tables anew."),
    mark("The database needed longer than {seconds} s for {what}."),
    mark("Read fewer rows, or a view that holds less."),
    mark("Somebody else holds {what} locked."),
    mark("Try again in a moment."),
    mark("{what} writes to the database when it is read, so it is not read."),
    mark("Choose another."),
    mark("The database has too many connections already."),
    mark("The database ended the connection."),
    mark("The database is starting or shutting down."),
    mark("Nobody answers at {where}."),
    mark("The connection to the database broke off."),
    mark("Check the address, and that this network reaches it."),
    mark("That is no address of a PostgreSQL database."),
    mark("{what} has {size}; up to {limit} are copied unasked."),
    mark("Make a view that holds what you need, or say how many rows to copy."),
    mark("Deskpilot is offline: no connection to {host} is made."),
)


@cache
def patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what finds each sentence, whatever stands in it; those that say most first."""
    found: list[tuple[re.Pattern[str], str]] = []
    for sentence in sorted(SENTENCES, key=len, reverse=True):
        parts = re.split(r"\{(\w+)\}", sentence)
        made = "".join(f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        found.append((re.compile(made, re.DOTALL), sentence))
    return tuple(found)


def said(text: str) -> str:
    """Return a sentence of another layer in the person's language, as it is where nobody translated it."""
    for pattern, sentence in patterns():
        if (match := pattern.fullmatch(text)) is not None:
            return tr(sentence, **match.groupdict())
    return tr(text) if text else ""


def told(error: DeskpilotError) -> str:
    """Return what happened and what to do, in the person's language."""
    return " ".join(part for part in (said(error.text), said(error.remedy)) if part)
