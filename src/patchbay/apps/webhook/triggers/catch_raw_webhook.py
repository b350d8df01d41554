"""The trigger “Catch raw webhook”."""

from patchbay.domain.base import JsonObject
from patchbay.domain.uuid_text import random_uuid_text
from patchbay.integration import (
    YES_NO,
    Context,
    Trigger,
    TriggerKind,
    delivery_id,
    dropdown,
    text,
    without_credentials,
)
from patchbay.integration.values import text_of

_DELIVERIES = (
    ("auto", "Once, if the sender identifies its deliveries"),
    ("header", "Once, using a custom header"),
    ("off", "Every time"),
)


async def run(ctx: Context) -> None:
    """Push the request as an item. If the sender doesn't send an ID, each request is an event of its own."""
    if ctx.request is None:
        return
    # Credentials of the caller aren't stored in executions.
    headers = without_credentials(ctx.request.headers, str(ctx.auth.data.get("headerName") or ""))
    item: JsonObject = {"headers": headers, "body": ctx.request.body, "query": ctx.request.query}
    internal_id = _delivery(ctx) or random_uuid_text()
    await ctx.push_request_item(item, internal_id)


def _delivery(ctx: Context) -> str | None:
    assert ctx.request is not None
    way = text_of(ctx.parameters, "deliveries") or "auto"
    if way == "header":
        named = text_of(ctx.parameters, "deliveryHeader").strip()
        return delivery_id(ctx.request, named) if named else None
    return delivery_id(ctx.request) if way == "auto" else None


catch_raw_webhook = Trigger(
    key="catchRawWebhook",
    name="Catch raw webhook",
    keywords=(
        "receive",
        "incoming",
        "url",
        "call",
        "post",
    ),
    description="Starts when this flow's URL receives a GET, POST, PUT, or PATCH request.",
    kind=TriggerKind.WEBHOOK,
    show_webhook_url=True,
    connection_app="signing-secret",
    connection_optional=True,
    arguments=(
        dropdown(
            "workSynchronously",
            "Wait for the flow to finish",
            YES_NO,
            required=True,
            value=False,
            description="Yes: the caller waits and gets the response of a “Respond with” step. No: the "
            "caller gets a response immediately.",
        ),
        dropdown(
            "deliveries",
            "Run repeated deliveries",
            _DELIVERIES,
            value="auto",
            description="Senders retry requests that time out. Many identify each delivery in a header "
            "such as X-GitHub-Delivery or Webhook-Id. If requests are signed, the signed content is "
            "compared instead of headers.",
        ),
        text(
            "deliveryHeader",
            "Delivery ID header",
            required=True,
            placeholder="X-Event-Id",
            variables=False,
            visible_if={"deliveries": "header"},
        ),
    ),
    run=run,
    test_run=run,
)
