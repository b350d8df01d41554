"""Placetel, telephone system. API: version 2, with an API token."""

from patchbay.integration import App, bearer

from .auth import auth
from .dynamic_data import list_numbers
from .triggers import hungup_call

app = App(
    name="Placetel",
    key="placetel",
    supports_connections=True,
    base_url="https://placetel.de",
    api_base_url="https://api.placetel.de",
    primary_color="#069DD9",
    description="Start a flow when a call ends.",
    category="Phone and SMS",
    keywords=("phone call", "telephone"),
    auth=auth,
    before_request=[bearer(field="apiToken")],
    triggers=[hungup_call],
    dynamic_data=[list_numbers],
)
