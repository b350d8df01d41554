"""The action “Respond with”, for apps whose triggers receive requests."""

from patchbay.integration.app_definition import Action, OnInterrupted
from patchbay.integration.context import Context
from patchbay.integration.fields import name_value_rows, text
from patchbay.integration.request_actions import pairs_from_rows
from patchbay.integration.urls import encode_headers
from patchbay.integration.values import number, parameter_error, text_of

MAX_HEADERS = 100
"""The maximum number of headers, as for requests to this server."""


async def _respond(ctx: Context) -> None:
    """Set the response to the caller. The run continues: later steps still run."""
    status = 200
    if text_of(ctx.parameters, "statusCode").strip():
        entered = number(ctx.parameters, "statusCode", "Status code")
        if entered != int(entered) or not 200 <= entered <= 599:
            raise parameter_error(
                "statusCode", f"{entered} isn't a valid status code.", "Use a whole number from 200 to 599."
            )
        status = int(entered)
    headers = dict(pairs_from_rows(ctx.parameters.get("headers")))
    if len(headers) > MAX_HEADERS:
        raise parameter_error(
            "headers", f"A response can have at most {MAX_HEADERS} headers.", "Remove some of them."
        )
    encode_headers(headers)
    body = text_of(ctx.parameters, "body")
    ctx.respond(status, headers, body)
    ctx.set_action_item({"statusCode": status, "headers": dict(headers), "body": body})


def respond_with(description: str) -> Action:
    """The action that responds to the request that started the flow, with status, headers, and body."""
    return Action(
        key="respondWith",
        name="Respond with",
        description=description,
        supports_connections=False,
        on_interrupted=OnInterrupted.REPEAT,
        arguments=(
            text("statusCode", "Status code", required=True, value="200"),
            name_value_rows("headers", "Headers", add="Add header"),
            text("body", "Body", required=True, multiline=True),
        ),
        run=_respond,
    )
