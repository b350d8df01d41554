"""Clients and invoices for dropdowns."""

from patchbay.integration import option_list, page_numbers

<<<<<<< HEAD
_PAGES = page_numbers(limit_key="per_page", total_pages="meta.pagination.total_pages")
=======
_PAGES = page_numbers(limit_key="per_page", limit=500, total_pages="meta.pagination.total_pages")
>>>>>>> 8e02fb7d (apps/invoice-ninja: clients, invoices, payments, and products)

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
<<<<<<< HEAD
=======
    in_order=True,
>>>>>>> 8e02fb7d (apps/invoice-ninja: clients, invoices, payments, and products)
)
