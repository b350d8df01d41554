"""The trigger: a webhook that is registered for the bot."""

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import dropdown, shared_token, webhook_trigger

_UPDATES = (
    ("message", "Message"),
    ("edited_message", "Edited message"),
    ("channel_post", "Channel post"),
    ("edited_channel_post", "Edited channel post"),
    ("business_connection", "Business connection"),
    ("business_message", "Business message"),
    ("edited_business_message", "Edited business message"),
    ("deleted_business_messages", "Deleted business messages"),
    ("guest_message", "Guest message"),
    ("message_reaction", "Reaction"),
    ("message_reaction_count", "Number of anonymous reactions"),
    ("inline_query", "Inline query"),
    ("chosen_inline_result", "Chosen inline result"),
    ("callback_query", "Callback query"),
    ("shipping_query", "Shipping query"),
    ("pre_checkout_query", "Query before a checkout"),
    ("purchased_paid_media", "Purchased media"),
    ("poll", "Poll"),
    ("poll_answer", "Vote in a poll"),
    ("my_chat_member", "Membership of the bot"),
    ("chat_member", "Membership of others"),
    ("chat_join_request", "Request to join"),
    ("chat_boost", "Boost"),
    ("removed_chat_boost", "Removed boost"),
    ("managed_bot", "Managed bot created or changed"),
    ("subscription", "Subscription changed"),
)
_ONLY_IF_CHOSEN = ("message_reaction", "message_reaction_count", "chat_member")


def _registration(parameters: JsonObject) -> JsonObject:
    """Always names the updates: otherwise Telegram keeps those of the bot's last webhook."""
    chosen = parameters.get("allowedUpdates")
    usual: list[Json] = [update for update, _ in _UPDATES if update not in _ONLY_IF_CHOSEN]
    return {
        "url": parameters["webhookUrl"],
        "secret_token": parameters["webhookSecret"],
        "allowed_updates": [chosen] if chosen else usual,
    }


new_message = webhook_trigger(
    key="newMessage",
    name="New message",
    description="Starts when the bot receives a message, or another update of the chosen kind.",
    arguments=[
        dropdown(
            "allowedUpdates",
            "Updates",
            _UPDATES,
            description="Leave empty for all except reactions and memberships of others.",
        )
    ],
    register="POST /setWebhook",
    body=_registration,
    remote_id="",
    unregister="POST /deleteWebhook",
    internal_id="update_id",
    verify=shared_token("X-Telegram-Bot-Api-Secret-Token"),
)
