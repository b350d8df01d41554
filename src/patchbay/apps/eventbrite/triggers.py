"""Triggers: webhooks that are registered for the organization."""

from collections.abc import Callable
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Trigger, dropdown, list_items, webhook_trigger
from patchbay.integration.described_requests import Line

_ORGANIZATION = dropdown(
    "organizationId", "Organization", source="listOrganizations", required=True, variables=True
)
_EVENT = dropdown(
    "eventId",
    "Event",
    source="listEvents",
    within="organizationId",
    variables=True,
    description="Leave empty for all events of the organization.",
)


def _delivery(action: str) -> Callable[[Any], Json]:
    """Makes of an object what Eventbrite sends about it: only its address."""
    return lambda row: {"config": {"action": action}, "api_url": row["resource_uri"]}


def _of_event(what: str) -> Line:
    """The attendees or orders of the chosen event, or of the organization."""

    def line(parameters: JsonObject) -> str:
        if parameters.get("eventId"):
            return f"/v3/events/{{eventId}}/{what}/"
        return f"/v3/organizations/{{organizationId}}/{what}/"

    return line


def _event_trigger(key: str, name: str, description: str, action: str, *, examples: Line, at: str) -> Trigger:
    has_event = at != "events"
    body: JsonObject = {"endpoint_url": "{webhookUrl}", "actions": action}
    return webhook_trigger(
        key=key,
        name=name,
        description=f"{description} The item has its address, api_url, for the action API request.",
        arguments=[_ORGANIZATION, _EVENT] if has_event else [_ORGANIZATION],
        register="POST /v3/organizations/{organizationId}/webhooks/",
        body={**body, "event_id": "{eventId}"} if has_event else body,
        unregister="DELETE /v3/webhooks/{remoteWebhookId}/",
        test_items=list_items(examples, at=at, item=_delivery(action)),
    )


updated_attendee = _event_trigger(
    "updatedAttendee",
    "Updated attendee",
    "Starts when an attendee's data is changed.",
    "attendee.updated",
    examples=_of_event("attendees"),
    at="attendees",
)
new_attendee_check_in = _event_trigger(
    "newAttendeeCheckIn",
    "Attendee checked in",
    "Starts when an attendee is checked in.",
    "attendee.checked_in",
    examples=_of_event("orders"),
    at="orders",
)
new_attendee_registered = _event_trigger(
    "newAttendeeRegistered",
    "New registration",
    "Starts when someone registers for an event or orders tickets.",
    "order.placed",
    examples=_of_event("orders"),
    at="orders",
)
new_events = _event_trigger(
    "newEvents",
    "New event",
    "Starts when an event is created.",
    "event.created",
    examples="/v3/organizations/{organizationId}/events/",
    at="events",
)
