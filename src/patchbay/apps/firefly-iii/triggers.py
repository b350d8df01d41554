"""Triggers."""

from dataclasses import replace

from patchbay.integration import Trigger, webhook_trigger

from .webhooks import registration, verify_webhook


def _transaction(key: str, name: str, description: str, trigger: str) -> Trigger:
    described = webhook_trigger(
        key=key,
        name=name,
        description=description,
        register="POST /api/v1/webhooks",
        unregister="DELETE /api/v1/webhooks/{remoteWebhookId}",
        verify=verify_webhook,
    )
    return replace(described, register_hook=registration(trigger))


transaction_created = _transaction(
    "transactionCreated", "Transaction created", "Starts when a transaction is added.", "STORE_TRANSACTION"
)
transaction_deleted = _transaction(
    "transactionDeleted",
    "Transaction deleted",
    "Starts when a transaction is deleted.",
    "DESTROY_TRANSACTION",
)
transaction_updated = _transaction(
    "transactionUpdated", "Transaction changed", "Starts when a transaction is changed.", "UPDATE_TRANSACTION"
)
