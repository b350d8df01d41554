"""Xero, accounting. API: Accounting API version 2.0, with OAuth 2."""

from patchbay.integration import App, bearer, fixed_headers, header_key

from .auth import auth
from .dynamic_data import list_organizations
from .triggers import new_bank_transactions, new_payments

app = App(
    name="Xero",
    key="xero",
    supports_connections=True,
    base_url="https://go.xero.com",
    api_base_url="https://api.xero.com",
    primary_color="#13B5EA",
    description="Start a flow for new bank transactions and payments.",
    category="Finance",
    keywords=("accounting", "bookkeeping"),
    auth=auth,
    before_request=[
        bearer(field="accessToken"),
        header_key("Xero-tenant-id", field="tenantId"),
        fixed_headers({"Accept": "application/json"}),
    ],
    triggers=[new_bank_transactions, new_payments],
    dynamic_data=[list_organizations],
)
