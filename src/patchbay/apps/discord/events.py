"""What a scheduled event of a server consists of."""

from patchbay.domain.base import Json, JsonObject
from patchbay.integration.values import as_number, text_of

STAGE, VOICE, EXTERNAL = 1, 2, 3
EVENT_TYPES = ((STAGE, "Stage"), (VOICE, "Voice channel"), (EXTERNAL, "Elsewhere"))
STATUSES = ((1, "Scheduled"), (2, "Active"), (3, "Completed"), (4, "Cancelled"))
MEMBERS_ONLY = 2
"""The only privacy level that Discord has."""


def whole_number(parameters: JsonObject, key: str) -> int | None:
    """A chosen value as a number: variables and commands bring it as text."""
    found = as_number(parameters.get(key))
    return None if found is None else int(found)


def event_body(parameters: JsonObject) -> JsonObject:
    """What creating and updating have in common, without empty values."""
    is_external = whole_number(parameters, "entityType") == EXTERNAL
    location = text_of(parameters, "location")
    filled: JsonObject = {
        "entity_type": whole_number(parameters, "entityType"),
        "name": text_of(parameters, "name"),
        "description": text_of(parameters, "description"),
        "image": text_of(parameters, "image"),
        "scheduled_start_time": text_of(parameters, "scheduledStartTime"),
        "scheduled_end_time": text_of(parameters, "scheduledEndTime"),
        "channel_id": None if is_external else text_of(parameters, "channel_id"),
    }
    body: dict[str, Json] = {key: value for key, value in filled.items() if value not in (None, "")}
    if is_external and location:
        body["entity_metadata"] = {"location": location}
    return body
