"""Make one call of a plugin and say what came of it: bounded, never twice if it writes, never
better than it was.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from app.domain.tool import ToolAnswer, shown
from app.tools.plugins.encoding import request_of
from app.tools.web.client import Asked, Unanswered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.tools.plugins.operations import Operation
    from app.tools.web.client import Fetched, Web

ANSWER_BYTES, SECONDS = 10 * 1024 * 1024, 30.0
AGAIN, PAUSE = 2, 0.4  # tries after the first, of what only reads; seconds before the first of them
BUSY = (429, 502, 503, 504)


async def called(
    web: Web,
    operation: Operation,
    parameters: dict[str, Any],
    origins: Mapping[str, str],
    secret: Mapping[str, str],
    *,
    seconds: float = SECONDS,
    pause: float = PAUSE,
) -> ToolAnswer:
    """Return what an operation answers; an error it answers with is an answer that failed.

    Raises: ToolError for what cannot be sent, or is not to be asked.
    """
    url, headers, content = request_of(operation, parameters)
    asked = Asked(url, operation.method.upper(), headers, secret, content)
    tries = 1 if operation.writes else 1 + AGAIN
    for left in reversed(range(tries)):
        try:
            fetched = await web.ask(asked, origins, limit=ANSWER_BYTES, seconds=seconds)
        except Unanswered as error:
            if not left:
                done = (
                    " It may have been done all the same; it was not tried again."
                    if operation.writes
                    else ""
                )
                return ToolAnswer("", failed=True, note=f"{error.text}{done}")
        else:
            if fetched.status not in BUSY or not left:
                return answer_of(operation, fetched)
        await asyncio.sleep(pause * (tries - left))
    raise AssertionError("the last try returns")


def answer_of(operation: Operation, fetched: Fetched) -> ToolAnswer:
    """Return what was answered, as text where it is text."""
    status, kind = fetched.status, fetched.kind
    works = 200 <= status < 300
    notes = (
        []
        if works
        else [f"It answered with error {status}{MEANING.get(status, '')}; nothing else is known."]
    )
    if 300 <= status < 400:
        notes = [
            f"It sends on to another address ({status}), which a call that writes does not follow."
        ]
    if not fetched.whole:
        notes.append(
            f"Its answer is larger than {ANSWER_BYTES // 1024**2} MB; only the beginning was read."
        )
    text = words_of(fetched)
    if text is None:
        told = f"{kind or 'something unnamed'}, {len(fetched.body):,} bytes"
        notes.append(f"The answer is no text, but {told}.")
        pictures = shown([fetched.body] if works and fetched.whole else [])
        return ToolAnswer("", not works, fetched.body, kind, status, " ".join(notes), pictures)
    is_json, value = parsed(text)
    if works and text and "json" in kind and not is_json:
        notes.append("It says that its answer is JSON, which it is not.")
    if works and is_json and operation.answers:
        from app.tools.schemas import fault  # here, as an idle window checks nothing

        if wrong := fault(operation.answers, value):
            notes.append(f"The answer is not as the plugin describes it: {wrong}.")
    return ToolAnswer(
        text, not works, b"" if fetched.whole else fetched.body, kind, status, " ".join(notes)
    )


MEANING = {
    401: " (it wants to know who asks)",
    403: " (it does not allow that)",
    404: " (there is nothing)",
    422: " (it does not take these values)",
    429: " (too many calls)",
    503: " (the service is not available)",
}


def words_of(fetched: Fetched) -> str | None:
    """Return an answer as text; None for what is none."""
    kind = fetched.kind
    charset = (
        fetched.headers.get("content-type", "").lower().partition("charset=")[2].strip('"; ')
        or "utf-8"
    )
    try:
        text = fetched.body.decode(charset, "strict" if fetched.whole else "replace")
    except (UnicodeDecodeError, LookupError):
        if not (kind.startswith("text/") or "json" in kind):
            return None
        text = fetched.body.decode("utf-8", "replace")
    return None if "\x00" in text else text


def parsed(text: str) -> tuple[bool, Any]:
    """Return whether a text is JSON, and its value."""
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None
