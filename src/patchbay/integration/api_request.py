"""The action every app with HTTP connections gets: any request to its interface, with its own credentials."""

from dataclasses import replace

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.foreign_json import read_json
from patchbay.integration import addresses
from patchbay.integration.bodies import MAY_REPEAT, row_headers, row_pairs, set_answer_item, when_interrupted
from patchbay.integration.context import Context
from patchbay.integration.contract import Action, App, RequestTarget
from patchbay.integration.fields import dropdown, name_value_rows, text
from patchbay.integration.request import Call

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def with_api_request(app: App) -> App:
    """The app with the `apiRequest` action, if it speaks HTTP with connections and has none of its own."""
    speaks_http = bool(app.api_base_url or app.before_request)
    has_one = any(action.key == API_REQUEST.key for action in app.actions)
    if not (app.supports_connections and speaks_http and app.offers_api_request) or has_one:
        return app
    return replace(app, actions=(*app.actions, API_REQUEST))


def _target(parameters: JsonObject) -> RequestTarget:
    method = str(parameters.get("method") or "GET").strip().upper()
    return RequestTarget(method, str(parameters.get("endpoint") or ""))


async def _run(ctx: Context) -> None:
    given = ctx.parameters
    method = _target(given).method
    call: Call = {
        "params": row_pairs(given.get("queryParams")),
        "headers": row_headers(ctx, method),
    }
    data = str(given.get("data") or "")
    if data.strip():
        parsed, value = _as_json(data)
        if parsed:
            call["json"] = value
        else:
            call["content"] = data
    endpoint = _own_address(ctx, str(given.get("endpoint") or ""))
    response = await ctx.http.request(method, endpoint, **call)
    await set_answer_item(ctx, response)


def _own_address(ctx: Context, endpoint: str) -> str:
    """The endpoint, unless it leads elsewhere: the credentials belong to the app's own address."""
    base = ctx.http.base_url
    if addresses.is_absolute(endpoint) and not (base and addresses.same_origin(base, endpoint)):
        raise ValidationFailed(
            {"endpoint": [f"Enter a path below the address of {ctx.app.name}, such as /v1/items."]},
            meaning="The connection's key is sent along, so it goes nowhere else.",
            todo="Use the HTTP Request app for other addresses.",
        )
    return endpoint


def _as_json(text_: str) -> tuple[bool, Json]:
    try:
        return True, read_json(text_)
    except ValueError:
        return False, None


API_REQUEST = Action(
    key="apiRequest",
    name="API request",
    description="Sends any request to the service's interface with the credentials of the connection.",
    arguments=(
        dropdown("method", "Method", METHODS, required=True, value="GET"),
        text("endpoint", "Endpoint", required=True, description="A path such as /v1/items."),
        name_value_rows("queryParams", "Query parameters", add="Add parameter"),
        name_value_rows("headers", "Headers", add="Add header"),
        text("data", "Data", multiline=True, description="JSON or plain text, sent as the body."),
        MAY_REPEAT,
    ),
    run=_run,
    request=_target,
    on_interrupted=when_interrupted,
)
