"""Odoo, business software, hosted or on your own server. API: XML-RPC, with an API key."""

from patchbay.integration import App

from .actions import create_lead
from .auth import auth

app = App(
    name="Odoo",
    key="odoo",
    supports_connections=True,
    base_url="https://odoo.com",
    api_base_url="https://{auth.host}:{auth.port}",
    primary_color="#9c5789",
    description="Create leads and opportunities.",
    category="CRM",
    keywords=("erp", "leads", "sales"),
    auth=auth,
    offers_api_request=False,
    actions=[create_lead],
)
