"""VirtualQ, callbacks for call centers. API: JSON:API, version 2, with an API key."""

from patchbay.integration import App, fixed_headers, header_key

from .actions import create_waiter, delete_waiter, show_waiter, update_waiter
from .auth import auth
from .dynamic_data import list_lines, list_waiters
from .dynamic_fields import list_appointment_fields

app = App(
    name="VirtualQ",
    key="virtualq",
    supports_connections=True,
    base_url="https://www.virtualq.tech",
    api_base_url="https://api.virtualq.tech/api",
    primary_color="#2E3D59",
    description="Add, find, update, and remove callers who wait in a line.",
    category="Customer support",
    keywords=("callback", "waiting line"),
    auth=auth,
    before_request=[header_key("X-API-Key"), fixed_headers({"X-Keys-Format": "underscore"})],
    actions=[create_waiter, delete_waiter, show_waiter, update_waiter],
    dynamic_data=[list_lines, list_waiters],
    dynamic_fields=[list_appointment_fields],
)
