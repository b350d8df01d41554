"""Rooms for dropdowns."""

import json
from collections.abc import Sequence
from typing import Any

from patchbay.domain.base import JsonObject
from patchbay.integration import Context, DynamicData, Option

_NAMES = ("m.room.name", "m.room.canonical_alias")
_NOTHING = {"not_types": ["*"]}
_FILTER = json.dumps(
    {
        "presence": _NOTHING,
        "account_data": _NOTHING,
        "room": {
            "state": {"types": list(_NAMES)},
            "timeline": {"limit": 1, "types": list(_NAMES)},
            "ephemeral": _NOTHING,
            "account_data": _NOTHING,
        },
    }
)


async def load(ctx: Context) -> Sequence[Option]:
    """The joined rooms, by name, else by alias or ID."""
    query: JsonObject = {"filter": _FILTER, "timeout": 0, "set_presence": "offline"}
    synced = (await ctx.http.get("/_matrix/client/v3/sync", params=query)).json()
    rooms: dict[str, Any] = (synced.get("rooms") or {}).get("join") or {}
    options = [Option(label=_name(room) or room_id, value=room_id) for room_id, room in rooms.items()]
    return sorted(options, key=lambda option: option.label.casefold())


def _name(room: dict[str, Any]) -> str:
    parts = [room.get(part) or {} for part in ("state", "timeline")]
    events = [event for part in parts for event in part.get("events") or ()]
    found = {event.get("type"): event.get("content") or {} for event in events}
    name = found.get("m.room.name", {}).get("name")
    return str(name or found.get("m.room.canonical_alias", {}).get("alias") or "")


list_rooms = DynamicData(key="listRooms", load=load)
