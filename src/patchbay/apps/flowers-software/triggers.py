"""Triggers."""

from patchbay.integration import dropdown, webhook_trigger

from .events import events

new_activity = webhook_trigger(
    key="newActivity",
    name="New activity",
    description="Starts when the chosen event happens.",
    arguments=[dropdown("filters", "Event", events(), required=True)],
    register="POST /v2/public/api/webhooks",
    body={"name": "Patchbay {flowId}", "type": "POST", "url": "{webhookUrl}", "filters": ["{filters}"]},
    unregister="DELETE /v2/public/api/webhooks/{remoteWebhookId}",
)
