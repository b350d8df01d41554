"""Invoice Ninja, invoices and payments, hosted or on your own server. API: version 5, with an API token."""

from patchbay.integration import App, fixed_headers, header_key, own_instance

from .actions import create_client, create_payment, create_product
from .auth import auth
from .dynamic_data import list_clients, list_invoices
from .invoices import create_invoice
from .triggers import new_clients, new_credits, new_invoices, new_payments, new_projects, new_quotes

app = App(
    name="Invoice Ninja",
    key="invoice-ninja",
    supports_connections=True,
    base_url="https://invoiceninja.com",
    api_base_url="https://invoicing.co/api",
    primary_color="#000000",
    description="Start a flow for new clients, invoices, quotes, and payments, and create them.",
    category="Finance",
    keywords=("invoice", "billing", "quote"),
    auth=auth,
    before_request=[
        own_instance(),
        header_key("X-API-TOKEN", field="apiToken"),
        fixed_headers({"X-Requested-With": "XMLHttpRequest"}),
    ],
    triggers=[new_clients, new_credits, new_invoices, new_payments, new_projects, new_quotes],
    actions=[create_client, create_invoice, create_payment, create_product],
    dynamic_data=[list_clients, list_invoices],
)
