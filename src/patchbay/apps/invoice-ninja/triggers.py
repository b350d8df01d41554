<<<<<<< HEAD
"""Triggers: webhooks that are registered in the company. Each has a number for its event."""

from patchbay.integration import Trigger, shared_token, webhook_trigger

_TOKEN_HEADER = "X-Patchbay-Token"


def _created(key: str, what: str, event: int) -> Trigger:
    return webhook_trigger(
        key=key,
        name=f"New {what}",
        description=f"Starts when a {what} is created.",
        register="POST /v1/webhooks",
        body={
            "target_url": "{webhookUrl}",
            "event_id": str(event),
=======
"""Triggers. Invoice Ninja doesn't sign deliveries, but adds headers that were registered with the webhook."""

from patchbay.integration import Trigger, shared_token, webhook_trigger

_TOKEN_HEADER = "X-Patchbay-Token"  # nosec B105  # the name of a header


def _created(key: str, name: str, description: str, event_id: int) -> Trigger:
    """A trigger for one of Invoice Ninja's events, by its number."""
    return webhook_trigger(
        key=key,
        name=name,
        description=description,
        register="POST /v1/webhooks",
        body={
            "target_url": "{webhookUrl}",
            "event_id": str(event_id),
>>>>>>> 8e02fb7d (apps/invoice-ninja: clients, invoices, payments, and products)
            "format": "JSON",
            "rest_method": "post",
            "headers": {_TOKEN_HEADER: "{webhookSecret}"},
        },
        remote_id="data.id",
        unregister="DELETE /v1/webhooks/{remoteWebhookId}",
        verify=shared_token(_TOKEN_HEADER),
    )


<<<<<<< HEAD
new_clients = _created("newClients", "client", 1)
new_invoices = _created("newInvoices", "invoice", 2)
new_quotes = _created("newQuotes", "quote", 3)
new_payments = _created("newPayments", "payment", 4)
new_projects = _created("newProjects", "project", 25)
new_credits = _created("newCredits", "credit", 27)
=======
new_clients = _created("newClients", "New client", "Starts when a client is created.", 1)
new_invoices = _created("newInvoices", "New invoice", "Starts when an invoice is created.", 2)
new_quotes = _created("newQuotes", "New quote", "Starts when a quote is created.", 3)
new_payments = _created("newPayments", "New payment", "Starts when a payment is recorded.", 4)
new_projects = _created("newProjects", "New project", "Starts when a project is created.", 25)
new_credits = _created("newCredits", "New credit", "Starts when a credit is created.", 27)
>>>>>>> 8e02fb7d (apps/invoice-ninja: clients, invoices, payments, and products)
