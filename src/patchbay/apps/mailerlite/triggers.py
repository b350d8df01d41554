"""Triggers: webhooks that are registered in the account."""

from patchbay.integration import Trigger, hmac_signature, webhook_trigger


def _event_trigger(key: str, name: str, description: str, event: str) -> Trigger:
    return webhook_trigger(
        key=key,
        name=name,
        description=description,
        register="POST /webhooks",
        body={"name": "Patchbay {flowId}", "events": [event], "url": "{webhookUrl}"},
        remote_id="data.id",
        unregister="DELETE /webhooks/{remoteWebhookId}",
        verify=hmac_signature("Signature"),
        service_secret="data.secret",
    )


campaign_sent = _event_trigger(
    "campaignSent", "Campaign sent", "Starts when a campaign has been sent.", "campaign.sent"
)
spam_complaint = _event_trigger(
    "spamComplaint",
    "Spam complaint",
    "Starts when a subscriber reports an email as spam.",
    "subscriber.spam_reported",
)
subscriber_created = _event_trigger(
    "subscriberCreated", "Subscriber created", "Starts when a subscriber is added.", "subscriber.created"
)
subscriber_unsubscribed = _event_trigger(
    "subscriberUnsubscribed",
    "Subscriber unsubscribed",
    "Starts when a subscriber unsubscribes.",
    "subscriber.unsubscribed",
)
