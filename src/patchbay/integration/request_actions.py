"""Shared parts of actions that send custom requests, and the `apiRequest` action of HTTP apps."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.json_limits import MAX_JSON_VALUES, TooManyValues, read_json
from patchbay.integration import urls
from patchbay.integration.app_definition import Action, App, OnInterrupted, RequestTarget
from patchbay.integration.context import Context
from patchbay.integration.fields import YES_NO, dropdown, name_value_rows, text
from patchbay.integration.masking import Masker
from patchbay.integration.request import RequestOptions, Response, too_many_values_error
from patchbay.integration.values import as_bool, text_of

_TEXT_TYPES = ("json", "xml", "javascript", "x-www-form-urlencoded", "yaml", "csv", "graphql", "html")

IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"})
"""Methods that have the same effect however often a request is sent (RFC 9110, 9.2.2)."""
_IDEMPOTENCY_KEY = "idempotency-key"

ReadData = Callable[[Response], Json]
"""Converts the body of a response to step data."""
_INLINE_BYTES = 64 * 1024
"""Bodies up to this many bytes are parsed on the event loop; a thread would cost more."""


def headers_from_rows(ctx: "Context", method: str) -> dict[str, str]:
    """The entered headers, lower-case, with an `Idempotency-Key` added if the method needs one.

    The key is the same for all attempts of this step of the run, so that a service that supports the header
    executes the request only once. A header the user entered takes precedence; if it's empty, none is sent.
    """
    headers = {name.lower(): value for name, value in pairs_from_rows(ctx.parameters.get("headers"))}
    if method not in IDEMPOTENT:
        headers.setdefault(_IDEMPOTENCY_KEY, ctx.idempotency_key)
    if not headers.get(_IDEMPOTENCY_KEY, "-"):
        del headers[_IDEMPOTENCY_KEY]
    return headers


def interruption_policy(parameters: JsonObject) -> OnInterrupted:
    """Repeat a custom request if its method is idempotent or the step declares it safe."""
    if text_of(parameters, "method").strip().upper() in IDEMPOTENT:
        return OnInterrupted.REPEAT
    return OnInterrupted.REPEAT_WITH_KEY if as_bool(parameters.get("mayRepeat")) else OnInterrupted.ASK


MAY_REPEAT = dropdown(
    "mayRepeat",
    "Safe to repeat",
    YES_NO,
    value=False,
    description="Yes: the request is sent again after an interruption, a timeout, or a server error. "
    "No: the run stops and you decide.",
    visible_if={"method": ["POST", "PATCH"]},
)


def pairs_from_rows(rows: Json) -> list[tuple[str, str]]:
    """Name and value of each filled row; rows without a name are dropped."""
    if not isinstance(rows, list):
        return []
    pairs = [(row.get("key"), row.get("value")) for row in rows if isinstance(row, dict)]
    return [(_text(name).strip(), _text(value)) for name, value in pairs if _text(name).strip()]


async def set_response_item(ctx: "Context", response: Response, read: ReadData | None = None) -> None:
    """Set a response as the action's output. Large ones are parsed in a thread.

    `read` returns its data, by default as `response_data`. Raises `NotSupported` for JSON with too many
    values.
    """
    masker = ctx.masker()
    if len(response.content) <= _INLINE_BYTES:
        ctx.action_output = _masked_item(response, masker, read)
    else:
        ctx.action_output = await asyncio.to_thread(_masked_item, response, masker, read)


def _masked_item(response: Response, masker: Masker, read: ReadData | None) -> Json:
    return masker.json(response_item(response, read))


def response_item(response: Response, read: ReadData | None = None) -> JsonObject:
    """A response as step output: data, headers, status, statusText."""
    return {
        "data": (read or response_data)(response),
        "headers": dict(response.headers),
        "status": response.status,
        "statusText": response.reason,
    }


def response_data(response: Response) -> Json:
    """JSON as it is, text as text, everything else in base64. Raises `NotSupported` for too many values."""
    if not response.content:
        return ""
    if not is_textual(response):
        return b64encode(response.content).decode("ascii")
    try:
        return read_json(response.text, MAX_JSON_VALUES)
    except TooManyValues:
        raise too_many_values_error(response) from None
    except ValueError:
        return response.text


def is_textual(response: Response) -> bool:
    """Whether the content is text, by its type or, without one, by its bytes."""
    media_type = response.content_type
    if media_type.startswith("text/") or any(word in media_type for word in _TEXT_TYPES):
        return True
    if media_type:
        return False
    try:
        response.content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in response.content


def _text(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# The `apiRequest` action

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def with_api_request(app: App) -> App:
    """The app with the `apiRequest` action added, if it uses HTTP and connections and doesn't define one."""
    has_own_action = any(action.key == API_REQUEST.key for action in app.actions)
    if not (app.supports_connections and app.uses_http and app.offers_api_request) or has_own_action:
        return app
    return replace(app, actions=(*app.actions, API_REQUEST))


def _request_target(parameters: JsonObject) -> RequestTarget:
    method = str(parameters.get("method") or "GET").strip().upper()
    return RequestTarget(method, str(parameters.get("endpoint") or ""))


async def _run(ctx: Context) -> None:
    method, url = _request_target(ctx.parameters)
    call: RequestOptions = {
        "params": pairs_from_rows(ctx.parameters.get("queryParams")),
        "headers": headers_from_rows(ctx, method),
    }
    data = str(ctx.parameters.get("data") or "")
    if data.strip():
        try:
            call["json"] = read_json(data)
        except ValueError:
            call["content"] = data

    # The credentials belong to the app's own URL.
    base = ctx.http.base_url
    if urls.is_absolute(url) and not (base and urls.same_origin(base, url)):
        raise ValidationFailed(
            {"endpoint": [f"Enter a path below the base URL of {ctx.app.name}, such as /v1/items."]},
            meaning="The request contains the connection's credentials, so it's only sent there.",
            todo="To call other URLs, use the HTTP Request app.",
        )
    await set_response_item(ctx, await ctx.http.request(method, url, **call))


API_REQUEST = Action(
    key="apiRequest",
    name="API request",
    description="Sends a request to the service's API with the connection's credentials.",
    arguments=(
        dropdown("method", "Method", METHODS, required=True, value="GET"),
        text("endpoint", "Endpoint", required=True, description="A path such as /v1/items."),
        name_value_rows("queryParams", "Query parameters", add="Add parameter"),
        name_value_rows("headers", "Headers", add="Add header"),
        text("data", "Data", multiline=True, description="Request body, as JSON or plain text."),
        MAY_REPEAT,
    ),
    run=_run,
    request=_request_target,
    on_interrupted=interruption_policy,
)
