"""Error responses: every failure as JSON with the HTTP status of its kind, never HTML or an empty body."""

import logging
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from functools import cached_property
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, compile_path

from patchbay.domain.error_wire import to_wire
from patchbay.domain.errors import (
    AppError,
    AuthRequired,
    ComputationStopped,
    Conflict,
    Forbidden,
    NotFound,
    NotSupported,
    PayloadTooLarge,
    RateLimited,
    SecretsUnavailable,
    ServerFault,
    StorageFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.input_problems import REQUIRED, WRONG_TYPE, shape_problem
from patchbay.server.request_parameters import is_uuid
from patchbay.server.responses import json_response

RETRY_AFTER_SECONDS = 5
_MAX_SHOWN_ID = 60
_MAX_FIELD_ERRORS = 100
"""Max. errors of one request body that the response lists."""

log = logging.getLogger(__name__)


class AllowedMethods:
    """The methods each path of an app supports. Computed only after an error, to keep requests fast."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = routes

    def for_path(self, path: str) -> frozenset[str]:
        """The methods; empty for an unknown path.

        A literal path ("/flows/import") takes precedence over one with a placeholder.
        """
        if path in self._static_paths:
            return self._static_paths[path]
        return frozenset().union(
            *(methods for pattern, methods in self._path_patterns if pattern.match(path))
        )

    @cached_property
    def _methods_by_path(self) -> list[tuple[str, frozenset[str]]]:
        routes = iter_route_contexts(self._routes)
        return [
            (str(route.path), frozenset(route.methods)) for route in routes if route.path and route.methods
        ]

    @cached_property
    def _static_paths(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for path, methods in self._methods_by_path:
            if "{" not in path:
                found[path] = found.get(path, frozenset()) | methods
        return found

    @cached_property
    def _path_patterns(self) -> list[tuple[re.Pattern[str], frozenset[str]]]:
        return [(compile_path(path)[0], methods) for path, methods in self._methods_by_path if "{" in path]


_STATUS: dict[type[AppError], int] = {
    ValidationFailed: 422,
    ThirdPartyError: 422,
    NotFound: 404,
    Conflict: 409,
    AuthRequired: 401,
    Forbidden: 403,
    RateLimited: 429,
    Unreachable: 503,
    TimedOut: 503,
    SecretsUnavailable: 503,
    StorageFault: 503,
    PayloadTooLarge: 413,
    ComputationStopped: 422,
    NotSupported: 422,
}


def http_status(error: AppError) -> int:
    """The HTTP status of an error's kind; a subclass has that of its parent."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)


class RequestRejected(Exception):
    """A request that the server rejects with another status than that of the error's kind."""

    def __init__(self, status: int, error: AppError) -> None:
        super().__init__(error.text())
        self.status, self.error = status, error


class BodyRejected(HTTPException):
    """A body that isn't read completely. An `HTTPException`, because FastAPI swallows others here."""

    def __init__(self, status: int, error: AppError) -> None:
        super().__init__(status)
        self.error = error


class BodyTooLarge(BodyRejected):
    """The body exceeds the limit."""

    def __init__(self, limit: int) -> None:
        shown = f"{limit // 1024**2} MB" if limit >= 1024**2 else f"{limit // 1024} KB"
        message = f"The request body is larger than {shown}."
        super().__init__(
            413, ValidationFailed({"general": [message]}, happened=message, todo="Send less in one request.")
        )


class BodyTimedOut(BodyRejected):
    """The body didn't arrive in time."""

    def __init__(self, seconds: float) -> None:
        message = f"The request body didn't arrive within {seconds:.0f} seconds."
        super().__init__(
            408, TimedOut(message, meaning="The request wasn't processed.", todo="Send it again.")
        )


def error_response(error: AppError, status: int | None = None) -> Response:
    """The response to a failed request."""
    code = status or http_status(error)
    headers: dict[str, str] = {}
    if isinstance(error, RateLimited) and error.retry_after is not None:
        headers["retry-after"] = str(math.ceil(error.retry_after))
    elif code == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["retry-after"] = str(RETRY_AFTER_SECONDS)
    return json_response(to_wire(error), code, headers)


def body_rejected_response(error: BodyRejected) -> Response:
    """The response to a body that wasn't read completely; the connection is closed after it."""
    response = error_response(error.error, error.status_code)
    response.headers["connection"] = "close"
    return response


def internal_error_response(error: Exception, method: str, path: str) -> Response:
    """The response to an unexpected exception, with the request ID under which the log has the traceback."""
    request_id = uuid.uuid4().hex[:12]
    log.error("%s %s failed, request %s", method, path, request_id, exc_info=error)
    fault = ServerFault(
        "The server failed to process the request.",
        request_id=request_id,
        meaning="This is a bug in the server, not in the request.",
        todo=f"Try again. If it keeps failing, look for request {request_id} in the server's log.",
    )
    return error_response(fault)


def bad_request(message: str) -> RequestRejected:
    """The error (400) for a request that can't be parsed."""
    return RequestRejected(400, ValidationFailed({"general": [message]}, happened=message))


def install_error_handlers(app: FastAPI) -> None:
    """Turn exceptions of the endpoints into error responses. Call it after all routes were added."""
    app.state.allowed_methods = AllowedMethods(app.routes)
    app.add_exception_handler(AppError, _handle_app_error)
    app.add_exception_handler(RequestRejected, _handle_rejected)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_error)


async def _handle_app_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AppError)
    if isinstance(error, NotFound | ValidationFailed) and _is_method_not_allowed(request):
        return _method_not_allowed(request)
    if isinstance(error, NotFound):
        ids = (str(value) for name, value in request.path_params.items() if name.endswith("Id"))
        malformed = next((value for value in ids if not is_uuid(value)), None)
        if malformed is not None:
            return error_response(_malformed_id_error(malformed), 400)
    if http_status(error) == HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s %s failed: %s", request.method, request.url.path, error.text())
    return error_response(error)


def _malformed_id_error(value: str) -> NotFound:
    shown = value if len(value) <= _MAX_SHOWN_ID else f"{value[:_MAX_SHOWN_ID]}…"
    return NotFound(
        f"“{shown}” isn't an ID.", todo="Use the complete ID: 32 hexadecimal digits, usually with dashes."
    )


async def _handle_rejected(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRejected)
    return error_response(error.error, error.status)


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    where = f"{request.method} {request.url.path}"
    if error.status_code == HTTPStatus.NOT_FOUND:
        return error_response(
            NotFound(
                f"There is no {request.url.path} on this server.", todo="See /openapi.json for all paths."
            )
        )
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return _method_not_allowed(request)
    if isinstance(error, BodyRejected):
        return body_rejected_response(error)
    message = f"{where} was rejected: {error.detail}"
    return error_response(ValidationFailed({"general": [message]}, happened=message), error.status_code)


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if _is_method_not_allowed(request):
        return _method_not_allowed(request)
    problems = error.errors()
    by_field: dict[str, list[str]] = {}
    for problem in problems[:_MAX_FIELD_ERRORS]:
        names = [part for part in problem["loc"][1:] if isinstance(part, str)]
        by_field.setdefault(names[0] if names else "general", []).append(_sentence(problem))
    if all(problem["type"] == "missing" and len(problem["loc"]) == 1 for problem in problems):
        by_field = dict.fromkeys(_required_fields(request), by_field["general"]) or by_field
    readable = all(problem["loc"][0] == "body" and problem["type"] != "json_invalid" for problem in problems)
    happened = by_field["general"][0] if "general" in by_field else _first_problem(by_field)
    return error_response(ValidationFailed(by_field, happened=happened), 422 if readable else 400)


def _first_problem(by_field: Mapping[str, Sequence[str]]) -> str:
    """The first problem with its field; empty for our own sentences, which the local workspace has too."""
    name, messages = next(iter(by_field.items()))
    if messages[0] == REQUIRED:
        return f"“{name}” is required."
    return f"“{name}”: {messages[0]}" if messages[0].startswith(WRONG_TYPE) else ""


def _required_fields(request: Request) -> list[str]:
    """The required fields of the request's body; none if the body isn't an object."""
    body = getattr(request.scope.get("route"), "body_field", None)
    model = body.field_info.annotation if body is not None else None
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return []
    return [field.alias or name for name, field in model.model_fields.items() if field.is_required()]


def _is_method_not_allowed(request: Request) -> bool:
    """Whether the path exists, but not with this method (and so was matched as a path with an ID)."""
    allowed = request.app.state.allowed_methods.for_path(request.url.path)
    return bool(allowed) and request.method not in allowed


def _method_not_allowed(request: Request) -> Response:
    error = NotSupported(
        f"{request.url.path} doesn't support {request.method}.", todo="See /openapi.json for all paths."
    )
    response = error_response(error, HTTPStatus.METHOD_NOT_ALLOWED)
    response.headers["allow"] = ", ".join(
        sorted(request.app.state.allowed_methods.for_path(request.url.path))
    )
    return response


def _sentence(problem: Mapping[str, Any]) -> str:
    if problem["type"] == "json_invalid":
        return "The body isn't valid JSON."
    if len(problem["loc"]) == 1 and problem["type"] != "missing":
        return "The body must be a JSON object."
    return shape_problem(problem)
