"""Triggers: a webhook that is registered for the survey."""

import hashlib
import hmac
from base64 import b64encode

from patchbay.integration import Context, dropdown, signed_content, webhook_trigger
from patchbay.integration.values import text_of


async def verify_webhook(ctx: Context) -> bool:
    """Whether a delivery is signed with the ID and the secret of the connection's app."""
    assert ctx.request is not None
    headers = {name.lower(): value for name, value in ctx.request.headers.items()}
    client_id, secret = text_of(ctx.auth.data, "clientId"), text_of(ctx.auth.data, "clientSecret")
    key = f"{client_id}&{secret}".encode()
    expected = b64encode(hmac.new(key, ctx.request.raw_body, hashlib.sha1).digest())
    if not secret or not hmac.compare_digest(headers.get("sm-signature", "").encode(), expected):
        return False
    ctx.signed_delivery = signed_content("sm-signature", ctx.request.raw_body)
    return True


new_response_notification = webhook_trigger(
    key="newResponseNotification",
    name="New response",
    description="Starts when someone completes a survey. The item has the IDs of survey and response.",
    arguments=[dropdown("surveyId", "Survey", source="listSurveys", required=True, variables=True)],
    register="POST /v3/webhooks",
    query={"bypass_ping": True},
    body={
        "name": "Patchbay {flowId}",
        "subscription_url": "{webhookUrl}",
        "event_type": "response_completed",
        "object_type": "survey",
        "object_ids": ["{surveyId}"],
    },
    unregister="DELETE /v3/webhooks/{remoteWebhookId}",
    verify=verify_webhook,
)
