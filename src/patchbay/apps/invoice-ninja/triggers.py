"""Triggers: webhooks that are registered in the company. Each has a number for its event."""

from patchbay.integration import Trigger, shared_token, webhook_trigger

_TOKEN_HEADER = "X-Patchbay-Token"  # the name of a header


def _created(key: str, what: str, event: int) -> Trigger:
    return webhook_trigger(
        key=key,
        name=f"New {what}",
        description=f"Starts when a {what} is created.",
        register="POST /v1/webhooks",
        body={
            "target_url": "{webhookUrl}",
            "event_id": str(event),
            "format": "JSON",
            "rest_method": "post",
            "headers": {_TOKEN_HEADER: "{webhookSecret}"},
        },
        remote_id="data.id",
        unregister="DELETE /v1/webhooks/{remoteWebhookId}",
        verify=shared_token(_TOKEN_HEADER),
    )


new_clients = _created("newClients", "client", 1)
new_invoices = _created("newInvoices", "invoice", 2)
new_quotes = _created("newQuotes", "quote", 3)
new_payments = _created("newPayments", "payment", 4)
new_projects = _created("newProjects", "project", 25)
new_credits = _created("newCredits", "credit", 27)
