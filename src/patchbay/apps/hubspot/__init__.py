"""HubSpot, a CRM. API: CRM objects, version 3, with OAuth 2 (version 2026-03)."""

from patchbay.integration import App, RateLimit, bearer

from .actions import create_contact, update_contact
from .auth import auth

app = App(
    name="HubSpot",
    key="hubspot",
    supports_connections=True,
    base_url="https://www.hubspot.com",
    api_base_url="https://api.hubapi.com",
    primary_color="#F95C35",
    description="Create and update contacts.",
    category="CRM",
    keywords=("contacts", "deals", "sales"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    rate_limit=RateLimit(calls=110, seconds=10),
    actions=[create_contact, update_contact],
)
