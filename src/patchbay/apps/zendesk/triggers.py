"""Triggers."""

from patchbay.integration import dropdown, list_items, polling_trigger, shared_token, webhook_trigger

from .dynamic_data import PAGES

_TOKEN_HEADER = "X-Patchbay-Token"

new_tickets = polling_trigger(
    key="newTickets",
    name="New ticket",
    description="Starts when a ticket is created that a view shows.",
    arguments=[dropdown("viewId", "View", source="listViews", required=True, variables=True)],
    items=list_items(
        "/api/v2/views/{viewId}/tickets",
        at="tickets",
        query={"sort_by": "nice_id", "sort_order": "desc"},
        pages=PAGES,
    ),
)

new_users = webhook_trigger(
    key="newUsers",
    name="New user",
    description="Starts at once when a user is created. Zendesk sends the event, with the user in “detail”.",
    register="POST /api/v2/webhooks",
    body={
        "webhook": {
            "name": "Patchbay {flowId}",
            "endpoint": "{webhookUrl}",
            "http_method": "POST",
            "request_format": "json",
            "status": "active",
            "subscriptions": ["zen:event-type:user.created"],
            "authentication": {
                "type": "api_key",
                "data": {"name": _TOKEN_HEADER, "value": "{webhookSecret}"},
                "add_position": "header",
            },
        }
    },
    remote_id="webhook.id",
    unregister="DELETE /api/v2/webhooks/{remoteWebhookId}",
    verify=shared_token(_TOKEN_HEADER),
    test_items=list_items(
        "/api/v2/search",
        at="results",
        query={"query": "type:user", "sort_by": "created_at", "sort_order": "desc"},
    ),
)
