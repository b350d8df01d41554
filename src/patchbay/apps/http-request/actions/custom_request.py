"""The action “Custom request”."""

import asyncio

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import TimedOut, Unreachable
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of
from patchbay.integration import (
    YES_NO,
    Action,
    Context,
    RequestTarget,
    dropdown,
    name_value_rows,
    text,
)
from patchbay.integration.request import RequestOptions
from patchbay.integration.request_actions import (
    MAY_REPEAT,
    headers_from_rows,
    interruption_policy,
    pairs_from_rows,
    set_response_item,
)
from patchbay.integration.values import as_bool, number, parameter_error, text_of

from ..addresses import full_address
from ..bodies import BODY_ARGUMENTS, body_options
from ..pages import PAGING_ARGUMENTS, pages_of, read_all
from ..responses import (
    ACCEPTED_STATUSES,
    CONTINUE_IF_UNREACHABLE,
    RESPONSE_TYPE,
    accepted_statuses,
    reader,
    set_missing_response,
)

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
MAX_SECONDS = 300


def target(parameters: JsonObject) -> RequestTarget:
    """The request a step with these parameters sends."""
    method = (text_of(parameters, "method") or "GET").strip().upper()
    return RequestTarget(method, text_of(parameters, "url").strip())


async def run(ctx: Context) -> None:
    """Send the request as entered. A failing status raises an error with the service's message."""
    read, pages = reader(ctx.parameters), pages_of(ctx.parameters)
    is_large = size_of(ctx.parameters, THREAD_THRESHOLD) > THREAD_THRESHOLD
    method, url, call = await asyncio.to_thread(request, ctx) if is_large else request(ctx)
    if pages is not None:
        await read_all(ctx, method, url, call, pages)
        return
    try:
        response = await ctx.http.request(method, url, **call)
    except (Unreachable, TimedOut) as error:
        set_missing_response(ctx, error)
        return
    await set_response_item(ctx, response, read)


def request(ctx: Context) -> tuple[str, str, RequestOptions]:
    """Method, URL, and options of the request. Raises `ValidationFailed` for invalid parameters."""
    method, url = target(ctx.parameters)
    if method not in METHODS:
        raise parameter_error("method", f"Choose one of {', '.join(METHODS)}.")
    url = full_address(ctx, url)
    call: RequestOptions = {
        "params": pairs_from_rows(ctx.parameters.get("queryParams")),
        "follow_redirects": as_bool(ctx.parameters.get("followRedirects"), default=True),
        "accepts": accepted_statuses(ctx.parameters),
        **body_options(ctx.parameters, headers_from_rows(ctx, method)),
    }
    if seconds := _seconds(ctx.parameters):
        call["seconds"] = seconds
    return method, url, call


def _seconds(parameters: JsonObject) -> float | None:
    if not text_of(parameters, "timeout").strip():
        return None
    seconds = float(number(parameters, "timeout", "Timeout"))
    if not 1 <= seconds <= MAX_SECONDS:
        raise parameter_error("timeout", f"Enter a timeout between 1 and {MAX_SECONDS} seconds.")
    return seconds


custom_request = Action(
    key="customRequest",
    name="Custom request",
    keywords=(
        "call an api",
        "download",
        "upload",
        "url",
        "web service",
        "get",
        "post",
    ),
    description="Sends a request and outputs the response.",
    supports_connections=False,
    connection_app="http",
    connection_optional=True,
    arguments=(
        dropdown("method", "Method", METHODS, required=True, value="GET"),
        text(
            "url",
            "URL",
            required=True,
            placeholder="https://example.com/items",
            description="With a connection, you can enter a path, such as /items.",
        ),
        name_value_rows("queryParams", "Query parameters", add="Add parameter"),
        *BODY_ARGUMENTS,
        name_value_rows(
            "headers",
            "Headers",
            value=[{"key": "Content-Type", "value": "application/json"}],
            add="Add header",
        ),
        *PAGING_ARGUMENTS,
        RESPONSE_TYPE,
        ACCEPTED_STATUSES,
        CONTINUE_IF_UNREACHABLE,
        dropdown("followRedirects", "Follow redirects", YES_NO, value=True),
        text(
            "timeout",
            "Timeout in seconds",
            placeholder="30",
            description=f"How long the response may take, {MAX_SECONDS} seconds at most.",
        ),
        MAY_REPEAT,
    ),
    run=run,
    on_interrupted=interruption_policy,
    request=target,
)
