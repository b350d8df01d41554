"""The trigger: a subscription that is registered in the account."""

from typing import Any

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown, rows, secret_in_query, webhook_trigger
from patchbay.integration.templates import find_value

_TYPES = (
    ("all", "All"),
    ("voicemail", "Voicemail"),
    ("missed", "Missed"),
    ("blocked", "Blocked"),
    ("accepted", "Accepted"),
    ("busy", "Busy"),
    ("cancelled", "Cancelled"),
    ("unavailable", "Unavailable"),
    ("congestion", "Network congested"),
)


def _is_chosen(call: Any, parameters: JsonObject) -> bool:
    """Whether a call has one of the chosen types; every call has if none is chosen."""
    chosen = find_value(parameters, "types[].type")
    return not chosen or "all" in chosen or find_value(call, "type") in chosen


hungup_call = webhook_trigger(
    key="hungupCall",
    name="Call ended",
    description="Starts when a call ends, with its duration, numbers, and type.",
    arguments=[
        rows(
            "types",
            "Types",
            (dropdown("type", "Type", _TYPES, required=True, variables=True),),
            add="Add type",
            description="Leave empty for all calls.",
        ),
        rows(
            "numbers",
            "Numbers",
            (dropdown("number", "Number", source="listNumbers", required=True, variables=True),),
            add="Add number",
            description="Leave empty for all numbers.",
        ),
    ],
    register="PUT /v2/subscriptions",
    body={
        "service": "Patchbay {flowId}",
        "url": "{webhookUrl}?token={webhookSecret}",
        "incoming": False,
        "outgoing": False,
        "hungup": True,
        "accepted": False,
        "phone": False,
        "numbers": "{numbers[].number}",
    },
    unregister="DELETE /v2/subscriptions/{remoteWebhookId}",
    only=_is_chosen,
    verify=secret_in_query("token"),
)
