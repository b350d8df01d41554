"""Firefly III, personal finances on your own server. API: version 1, with OAuth 2."""

from patchbay.integration import App, bearer, fixed_headers

from .auth import auth
from .triggers import transaction_created, transaction_deleted, transaction_updated

app = App(
    name="Firefly III",
    key="firefly-iii",
    supports_connections=True,
    base_url="https://firefly-iii.org",
    api_base_url="{auth.instanceUrl}",
    primary_color="#CD5029",
    description="Start a flow when a transaction is created, changed, or deleted.",
    category="Finance",
    keywords=("budget", "money", "bank"),
    auth=auth,
    # Without it, Firefly III returns web pages.
    before_request=[bearer(field="accessToken"), fixed_headers({"Accept": "application/json"})],
    triggers=[transaction_created, transaction_deleted, transaction_updated],
)
