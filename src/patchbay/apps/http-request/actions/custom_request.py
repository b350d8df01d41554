from patchbay.domain.base import JsonObject
from patchbay.integration import Action, Context, RequestTarget, dropdown, name_value_rows, text
from patchbay.integration.request_actions import (
    MAY_REPEAT,
    headers_from_rows,
    interruption_policy,
    set_response_item,
)
from patchbay.integration.urls import is_absolute, join
from patchbay.integration.values import parameter_error, text_of

METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")


def target(parameters: JsonObject) -> RequestTarget:
    """The request a step with these parameters sends."""
    method = (text_of(parameters, "method") or "GET").strip().upper()
    return RequestTarget(method, text_of(parameters, "url").strip())


async def run(ctx: Context) -> None:
    """Send the request as entered. A failing status raises an error with the service's message."""
    method, url = target(ctx.parameters)
    if method not in METHODS:
        raise parameter_error("method", f"Choose one of {', '.join(METHODS)}.")
    service = text_of(ctx.auth.data, "baseUrl")
    if service and not is_absolute(url):
        url = join(service, url)
    if not is_absolute(url):
        raise parameter_error("url", f"“{url[:80]}” isn't a valid URL.", "Start with https:// or http://.")
    headers = headers_from_rows(ctx, method)
    data = text_of(ctx.parameters, "data")
    response = await ctx.http.request(method, url, headers=headers, content=data or None)
    await set_response_item(ctx, response)


custom_request = Action(
    key="customRequest",
    name="Custom request",
    description="Sends a request and outputs the response.",
    supports_connections=False,
    connection_app="http",
    connection_optional=True,
    arguments=(
        dropdown("method", "Method", METHODS, required=True, value="GET"),
        text(
            "url",
            "Address",
            required=True,
            placeholder="https://example.com/items",
            description="With a connection, you can enter a path, such as /items.",
        ),
        text("data", "Data", multiline=True, description="Request body, sent exactly as entered."),
        name_value_rows(
            "headers",
            "Headers",
            value=[{"key": "Content-Type", "value": "application/json"}],
            add="Add header",
        ),
        MAY_REPEAT,
    ),
    run=run,
    on_interrupted=interruption_policy,
    request=target,
)
