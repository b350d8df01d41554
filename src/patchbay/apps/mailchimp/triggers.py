"""Triggers."""

from dataclasses import replace

from patchbay.integration import (
    Trigger,
    dropdown,
    list_items,
    offsets,
    polling_trigger,
    webhook_trigger,
)

from .webhooks import registration, verify_webhook

_AUDIENCE = dropdown("audienceId", "Audience", source="listAudiences", required=True, variables=True)

email_opened = polling_trigger(
    key="emailOpened",
    name="Email opened",
    description="Starts when a recipient opens the email of a campaign, once for each recipient.",
    arguments=[
        _AUDIENCE,
        dropdown(
            "campaignType",
            "Type of campaign",
            (("campaign", "Campaign"),),
            required=True,
            value="campaign",
            variables=True,
        ),
        dropdown(
            "campaignId",
            "Campaign",
            source="listCampaigns",
            within="audienceId",
            required=True,
            variables=True,
        ),
    ],
    source=["campaignId"],
    items=list_items(
        "/3.0/reports/{campaignId}/open-details",
        at="members",
        internal_id="email_id",
        pages=offsets(limit_key="count", limit=1000),
        sort_by="opens.0.timestamp",
    ),
)


def _subscription_trigger(key: str, name: str, description: str, event: str) -> Trigger:
    described = webhook_trigger(
        key=key,
        name=name,
        description=description,
        arguments=[_AUDIENCE],
        register="POST /3.0/lists/{audienceId}/webhooks",
        unregister="DELETE /3.0/lists/{audienceId}/webhooks/{remoteWebhookId}",
        # Mailchimp first checks the address with a request without content.
        only=lambda body, parameters: isinstance(body, dict) and body.get("type") == event,
        verify=verify_webhook,
    )
    return replace(described, register_hook=registration(event))


new_subscribers = _subscription_trigger(
    "newSubscribers", "New subscriber", "Starts when someone subscribes to an audience.", "subscribe"
)
new_unsubscribers = _subscription_trigger(
    "newUnsubscribers",
    "New unsubscriber",
    "Starts when someone unsubscribes from an audience.",
    "unsubscribe",
)
