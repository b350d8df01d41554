"""Triggers."""

from patchbay.integration import dropdown, list_items, polling_trigger
from patchbay.integration.google import google_pages

new_calendar = polling_trigger(
    key="newCalendar",
    name="New calendar",
    description="Starts when a calendar is added to your list, or changed in it.",
    items=list_items(
        "/v3/users/me/calendarList",
        at="items",
        internal_id="etag",
        pages=google_pages("maxResults", 250),
        absent_if_empty=True,
        last_first=True,
    ),
)

new_event = polling_trigger(
    key="newEvent",
    name="New event",
    description="Starts when an event is created or changed in a calendar.",
    arguments=[dropdown("calendarId", "Calendar", source="listCalendars", required=True)],
    source=["calendarId"],
    items=list_items(
        "/v3/calendars/{calendarId}/events",
        at="items",
        internal_id="etag",
        query={"orderBy": "updated"},
        pages=google_pages("maxResults", 2500),
        only=lambda event, parameters: event.get("status") != "cancelled",  # left out of a recurring event
        absent_if_empty=True,
        last_first=True,
    ),
)
