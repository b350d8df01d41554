"""Triggers: a webhook that is registered in the site."""

import hashlib
import hmac

from patchbay.integration import Context, signed_content, webhook_trigger


async def verify_webhook(ctx: Context) -> bool:
    """Whether a delivery is signed: `sha256=…, t=…`, of the content, since version 5.87 with the time."""
    assert ctx.request is not None
    headers = {name.lower(): value for name, value in ctx.request.headers.items()}
    parts = dict(part.strip().partition("=")[::2] for part in headers.get("x-ghost-signature", "").split(","))
    content = ctx.request.raw_body
    accepted = [
        hmac.new(key.encode(), signed, hashlib.sha256).hexdigest().encode()
        for key in ctx.flow.webhook_secrets
        for signed in (content + parts.get("t", "").encode(), content)
    ]
    sent = parts.get("sha256", "").encode()
    if not any([hmac.compare_digest(sent, expected) for expected in accepted]):
        return False
    ctx.signed_delivery = signed_content("x-ghost-signature", content)
    return True


new_post_published = webhook_trigger(
    key="newPostPublished",
    name="New post published",
    description="Starts when a post is published.",
    register="POST /ghost/api/admin/webhooks/",
    body={
        "webhooks": [
            {
                "name": "Patchbay {flowId}",
                "event": "post.published",
                "target_url": "{webhookUrl}",
                "secret": "{webhookSecret}",
            }
        ]
    },
    remote_id="webhooks.0.id",
    unregister="DELETE /ghost/api/admin/webhooks/{remoteWebhookId}/",
    verify=verify_webhook,
)
