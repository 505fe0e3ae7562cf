"""Our errors over HTTP, in OpenAI's format with our text and remedy."""

from __future__ import annotations

import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from backends.catalog import CatalogError
from backends.copilot import NoModel
from backends.data.errors import KernelError
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    FlexAIError,
    InvokeAuthorizationError,
    InvokeBadRequestError,
    InvokeCancelledError,
    InvokeConnectionError,
    InvokeError,
    InvokeMemoryError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
    UnsupportedParameterError,
)
from backends.protocol.request import BadRequest
from backends.service.access import Busy, ModelNotAllowed
from backends.service.queue import CallerGone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from fastapi import FastAPI, Request

T = TypeVar("T")
log = logging.getLogger(__name__)

STATUS: dict[
    type[FlexAIError], int
] = {  # clients retry on 429 and on 500 and above, so these are used where a retry may help
    InvokeBadRequestError: 400,
    ModelNotAllowed: 403,
    InvokeAuthorizationError: 401,
    InvokeRateLimitError: 429,
    InvokeMemoryError: 507,
    InvokeServerUnavailableError: 503,
    InvokeConnectionError: 502,
    CredentialsValidateFailedError: 422,
    InvokeCancelledError: 499,
    InvokeError: 500,
}


def install(app: FastAPI) -> None:
    """Make an application report its errors in our format, with text and remedy."""
    app.add_exception_handler(BadRequest, on_bad_request)
    app.add_exception_handler(NoModel, on_no_model)
    app.add_exception_handler(FlexAIError, on_model_error)
    app.add_exception_handler(CatalogError, on_catalog)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(CallerGone, on_gone)
    app.add_exception_handler(Exception, on_bug)


CODES: dict[str, str] = {  # OpenAI's clients use these to decide what they can fix themselves
    "ContextLengthError": "context_length_exceeded",
    "UnsupportedParameterError": "unsupported_parameter",
    "model_not_found": "model_not_found",
}

# The start of the message, because LiteLLM, LangChain and others look for OpenAI's wording, not for
# the code.
TOLD = {"ContextLengthError": "This model's maximum context length is exceeded. "}


def body_of(
    status: int, text: str, remedy: str, kind: str, parameter: str = ""
) -> dict[str, object]:
    """Return an error in OpenAI's format. `remedy`, which is the end of the message, is also a
    separate field.

    parameter: the name of the invalid field in the request.
    """
    message = f"{TOLD.get(kind, '')}{text} {remedy}".strip()
    told = {"message": message, "type": kind, "param": parameter or None}
    return {"error": told | {"code": CODES.get(kind, status), "remedy": remedy}}


def body_of_error(error: FlexAIError) -> dict[str, object]:
    """Return a model's error in OpenAI's format."""
    parameter = error.parameter if isinstance(error, UnsupportedParameterError) else ""
    return body_of(status_of(error), error.text, error.remedy, type(error).__name__, parameter)


def problem(status: int, text: str, remedy: str, kind: str, parameter: str = "") -> JSONResponse:
    """Return the response for an error."""
    return JSONResponse(body_of(status, text, remedy, kind, parameter), status)


def status_of(error: FlexAIError) -> int:
    """Return the HTTP status for a model's error."""
    return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)


def words_for_bug(error: Exception) -> str:
    """Log an unexpected error, and return the sentence for users."""
    log.error("unexpected", exc_info=error)
    return (
        f"The model service had an internal error ({type(error).__name__}). Send the question "
        "again; if it fails again, see the service's log."
    )


async def to_the_end(
    made: AsyncGenerator[T], tell: Callable[[Exception, str], list[T]]
) -> AsyncGenerator[T]:
    """Yield a stream, and the result of `tell` if it fails midway.

    tell: receives the error and its sentence. This is the only place that catches our own bugs in a
    stream. Everywhere else, `on_bug` does.
    """
    try:
        async with aclosing(made):
            async for item in made:
                yield item
    except (FlexAIError, KernelError, CatalogError, NoModel) as error:
        for item in tell(error, f"{error.text} {error.remedy}".strip()):
            yield item
    except Exception as error:  # noqa: BLE001 - the outermost loop of every stream
        for item in tell(error, words_for_bug(error)):
            yield item


async def on_bad_request(_: Request, error: Exception) -> JSONResponse:
    """Respond to an invalid query with 422 in FastAPI's format, which copilot clients read."""
    assert isinstance(error, BadRequest)
    return JSONResponse(
        {"detail": [{"msg": error.text, "remedy": error.remedy, "loc": ["body"]}]}, 422
    )


async def on_no_model(_: Request, error: Exception) -> JSONResponse:
    """Respond that a model is not on this machine."""
    assert isinstance(error, NoModel)
    return problem(404, error.text, error.remedy, "model_not_found")


async def on_model_error(_: Request, error: Exception) -> JSONResponse:
    """Respond to a model's error with the status for its error class."""
    assert isinstance(error, FlexAIError)
    wait = {"Retry-After": str(error.retry_after)} if isinstance(error, Busy) else {}
    return JSONResponse(body_of_error(error), status_of(error), headers=wait)


async def on_catalog(_: Request, error: Exception) -> JSONResponse:
    """Respond to an error in the model catalogue."""
    assert isinstance(error, CatalogError)
    return problem(500, error.text, error.remedy, type(error).__name__)


async def on_invalid(_: Request, error: Exception) -> JSONResponse:
    """Respond that the request body is not valid for the route."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return problem(
        422, f"{place}: {first['msg']}", "", "invalid_request_error", place.removeprefix("body.")
    )


async def on_http(request: Request, error: Exception) -> JSONResponse:
    """Respond that the path or method is not supported."""
    assert isinstance(error, HTTPException)
    text = f"{request.method} {request.url.path}: {error.detail}."
    return problem(error.status_code, text, "", "invalid_request_error")


async def on_gone(_: Request, __: Exception) -> JSONResponse:
    """Respond to a caller that has disconnected. Nobody reads this response."""
    return problem(499, "The caller disconnected.", "", "gone")


async def on_bug(_: Request, error: Exception) -> JSONResponse:
    """Respond to an unexpected error."""
    return problem(500, words_for_bug(error), "", "internal_error")
