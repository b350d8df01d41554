"""Clients and invoices for dropdowns."""

from patchbay.integration import option_list, page_numbers

_PAGES = page_numbers(limit_key="per_page", total_pages="meta.pagination.total_pages")

list_clients = option_list(
    "listClients",
    "/v1/clients",
    at="data",
    label="{display_name|name|number}",
    query={"sort": "name|asc"},
    pages=_PAGES,
)

list_invoices = option_list(
    "listInvoices",
    "/v1/invoices",
    at="data",
    label="{number|id}",
    query={"sort": "number|desc"},
    pages=_PAGES,
)
