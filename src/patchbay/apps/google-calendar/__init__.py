"""Google Calendar. API: version 3, with OAuth 2."""

from patchbay.integration import App, bearer

from .auth import auth
from .dynamic_data import list_calendars
from .triggers import new_calendar, new_event

app = App(
    name="Google Calendar",
    key="google-calendar",
    supports_connections=True,
    base_url="https://calendar.google.com",
    api_base_url="https://www.googleapis.com/calendar",
    primary_color="#448AFF",
    description="Start a flow for new calendars and events.",
    category="Calendar",
    keywords=("appointment", "meeting", "schedule"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_calendar, new_event],
    dynamic_data=[list_calendars],
)
