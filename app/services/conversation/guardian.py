"""The guardian: has texts checked, and raises for what is harmful or could not be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError, Unchecked, Withheld
from app.domain.settings.pages import CHECK, MODERATION_MODEL, PASS

if TYPE_CHECKING:
    from app.services.models.ports import ManagePort
    from app.services.settings.settings import Settings

ROUTE = "/v1/moderations"
OFF = "Or turn the check off in the settings (moderation.check)."


class Guardian:
    """Asks the guard model of the settings. The rule: a check that fails holds the text back."""

    def __init__(self, settings: Settings, manage: ManagePort) -> None:
        self._settings = settings
        self._manage = manage

    async def watches(self) -> bool:
        """Tell whether texts are to be checked.

        Raises: SetupError.
        """
        return await self._settings.get(CHECK)

    async def check(self, what: str, text: str) -> None:
        """Return if a text may pass. what: `question` or `answer`.

        Raises: Withheld if it is harmful in a way that may not pass; Unchecked if nobody could
        tell.
        """
        if not text.strip():
            return
        body: dict[str, Any] = {"input": text}
        if model := await self._settings.get(MODERATION_MODEL):
            body["model"] = model
        held = "not sent" if what == "question" else "held back"
        try:
            told = await self._manage.send("POST", ROUTE, body)
            found = harms(told)
        except DeskpilotError as error:
            raise Unchecked(
                f"Unchecked, so the {what} was {held}: {error.text}", f"{error.remedy} {OFF}"
            ) from error
        allowed = {name.casefold() for name in await self._settings.get(PASS)}
        if found is None or (found and all(name.casefold() in allowed for name in found)):
            return
        about = f", and is about: {', '.join(found)}" if found else ""
        raise Withheld(
            f"The {what} was {held}: the guard model finds it harmful{about}.",
            "Ask in other words, or change what may pass in the settings (moderation).",
        )


def harms(told: dict[str, Any]) -> list[str] | None:
    """Return the kinds of harm that were found, empty where they are not named; None for no harm.

    Raises: Unchecked for an answer that is no verdict.
    """
    results = told.get("results")
    if (
        not isinstance(results, list)
        or len(results) != 1
        or not isinstance(results[0].get("flagged"), bool)
    ):
        raise Unchecked("The guard model gave no verdict.", "Choose another one.")
    kinds = results[0].get("categories") or {}
    return [name for name, found in kinds.items() if found] if results[0]["flagged"] else None
