"""Triggers."""

from patchbay.integration import Context, dropdown, hmac_signature, secret_in_query, webhook_trigger

_signature = hmac_signature("X-FreeScout-Signature", algorithm="sha1", base64=True, secret="webhookSecret")


_has_token = secret_in_query("token")


async def verify_webhook(ctx: Context) -> bool:
    """Whether the address has the token with which it was registered, and FreeScout's signature is valid.

    The signature can only be checked if the connection has the secret.
    """
    return await _has_token(ctx) and (not ctx.auth.data.get("webhookSecret") or await _signature(ctx))


new_event = webhook_trigger(
    key="newEvent",
    name="New event",
    description="Starts at once when something happens to a conversation or a customer.",
    arguments=[
        dropdown(
            "eventType",
            "Event",
            (
                ("convo.created", "Conversation created"),
                ("convo.assigned", "Conversation assigned"),
                ("convo.status", "Conversation's status changed"),
                ("convo.moved", "Conversation moved to another mailbox"),
                ("convo.customer.reply.created", "Customer replied"),
                ("convo.agent.reply.created", "Agent replied"),
                ("convo.note.created", "Note added"),
                ("convo.deleted", "Conversation deleted"),
                ("convo.deleted_forever", "Conversation deleted for good"),
                ("convo.restored", "Conversation restored"),
                ("customer.created", "Customer created"),
                ("customer.updated", "Customer changed"),
            ),
            required=True,
        )
    ],
    register="POST /api/webhooks",
    body={"url": "{webhookUrl}?token={webhookSecret}", "events": ["{eventType}"]},
    unregister="DELETE /api/webhooks/{remoteWebhookId}",
    verify=verify_webhook,
)
