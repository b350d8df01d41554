"""Eventbrite, events and tickets. API: REST, version 3, with OAuth 2."""

from patchbay.integration import App, RateLimit, bearer

from .actions import create_event, publish_event
from .auth import auth
from .dynamic_data import list_currency, list_events, list_organizations, list_venues
from .triggers import new_attendee_check_in, new_attendee_registered, new_events, updated_attendee

app = App(
    name="Eventbrite",
    key="eventbrite",
    supports_connections=True,
    base_url="https://www.eventbrite.com",
    api_base_url="https://www.eventbriteapi.com",
    primary_color="#F05537",
    description="Start a flow for registrations, check-ins, and new events, and create and publish events.",
    category="Calendar",
    keywords=("tickets", "attendees"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    rate_limit=RateLimit(calls=2000, seconds=3600),
    triggers=[updated_attendee, new_attendee_check_in, new_attendee_registered, new_events],
    actions=[create_event, publish_event],
    dynamic_data=[list_currency, list_events, list_organizations, list_venues],
)
