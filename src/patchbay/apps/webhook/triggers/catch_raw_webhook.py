from uuid import uuid4

from patchbay.domain.base import JsonObject
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import YES_NO, Context, Trigger, TriggerKind, dropdown
from patchbay.integration.masking import MASK

_PRIVATE = ("authorization", "proxy-authorization", "cookie", "x-api-token")


async def run(ctx: Context) -> None:
    """Hand over the call. Each delivery is an event of its own, so its id is random."""
    if ctx.request is not None:
        request = ctx.request
        item: JsonObject = {"headers": _headers(request), "body": request.body, "query": request.query}
        ctx.push_trigger_item(item, str(uuid4()))


def _headers(request: WebhookRequest) -> JsonObject:
    """Lower-case names; credentials of the caller are not kept in executions."""
    lowered = {name.lower(): value for name, value in request.headers.items()}
    return {name: MASK if name in _PRIVATE else value for name, value in lowered.items()}


catch_raw_webhook = Trigger(
    key="catchRawWebhook",
    name="Catch raw webhook",
    description="Starts when the address of this flow is called with GET, POST, PUT or PATCH.",
    kind=TriggerKind.WEBHOOK,
    show_webhook_url=True,
    supports_connections=False,
    arguments=(
        dropdown(
            "workSynchronously",
            "Wait until the flow is done",
            YES_NO,
            required=True,
            value=False,
            description="Yes: the caller waits and gets the answer of a “Respond with” step. "
            "No: the caller is answered at once.",
        ),
    ),
    run=run,
    test_run=run,
)
