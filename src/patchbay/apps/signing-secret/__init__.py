"""Signing secret: verifies the sender of a webhook request. Used by the triggers of Webhook."""

from patchbay.integration import App

from .auth import auth

app = App(
    name="Signing secret",
    key="signing-secret",
    icon_url="{BASE_URL}/apps/signing-secret/assets/icon.svg",
    auth_doc_url="{DOCS_URL}/apps/signing-secret/connection",
    supports_connections=True,
    base_url="",
    api_base_url="",
    primary_color="#0059F7",
    description="A secret shared with the sender of a webhook, so no one else can start the flow.",
    category="Built in",
    auth=auth,
    offers_api_request=False,
)
