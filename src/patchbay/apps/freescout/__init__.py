"""FreeScout, customer support on your own server. API: that of the module API & Webhooks, with a key."""

from patchbay.integration import App, header_key

from .auth import auth
from .triggers import new_event

app = App(
    name="FreeScout",
    key="freescout",
    supports_connections=True,
    base_url="https://freescout.net",
    api_base_url="{auth.instanceUrl}",
    primary_color="#F5D05E",
    description="Start a flow for conversation and customer events.",
    category="Customer support",
    keywords=("helpdesk", "ticket"),
    auth=auth,
    before_request=[header_key("X-FreeScout-API-Key")],
    triggers=[new_event],
)
