"""Triggers."""

from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, cursor, dropdown, list_items, polling_trigger
from patchbay.integration.values import as_bool


def _query(own: bool) -> JsonObject:
    """Newest first. Leaving own messages out prevents a flow from responding to itself."""
    senders = "" if own else ',"not_senders":["{auth.userId}"]'
    return {"dir": "b", "limit": 50, "filter": '{"types":["m.room.message"]' + senders + "}"}


_PATH = "/_matrix/client/v3/rooms/{roomId}/messages"
_PAGES = cursor("end", "from")
_OTHERS = list_items(_PATH, query=_query(False), at="chunk", internal_id="event_id", pages=_PAGES)
_ALL = list_items(_PATH, query=_query(True), at="chunk", internal_id="event_id", pages=_PAGES)

new_message = polling_trigger(
    key="newMessage",
    name="New message",
    description="Starts when someone sends a message to a room. Messages in encrypted rooms can't be read.",
    arguments=[
        dropdown("roomId", "Room", source="listRooms", required=True),
        dropdown(
            "ownMessages",
            "Own messages",
            YES_NO,
            value=False,
            description="Yes: also starts for messages of the connected account, such as those of flows.",
        ),
    ],
    source=["roomId"],
    items=lambda ctx: (_ALL if as_bool(ctx.parameters.get("ownMessages")) else _OTHERS)(ctx),
)
