"""CalDAV, calendars on your own server or a provider's. RFC 4791 over WebDAV, RFC 6764 for discovery."""

from patchbay.integration import App, basic_auth

from .actions.create_event import create_event
from .auth import auth
from .dynamic_data.list_calendars import list_calendars
from .triggers.new_event import new_event

app = App(
    name="CalDAV",
    key="caldav",
    icon_url="{BASE_URL}/apps/caldav/assets/icon.svg",
    auth_doc_url="{DOCS_URL}/apps/caldav/connection",
    supports_connections=True,
    base_url="https://www.rfc-editor.org/rfc/rfc4791",
    api_base_url="{auth.serverUrl}",
    primary_color="#2F7D62",
    description="Start a flow when an event is added to a calendar, and create events.",
    category="Calendar",
    keywords=("appointment", "meeting", "nextcloud", "icloud"),
    auth=auth,
    before_request=[basic_auth()],
    triggers=[new_event],
    actions=[create_event],
    dynamic_data=[list_calendars],
)
