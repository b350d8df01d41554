"""Types of documents for dropdowns."""

from patchbay.integration import option_list

list_doctypes = option_list(
    "listDoctypes",
    "/api/v2/document/DocType",
    at="data",
    label="{name}",
    value="{name}",
    # All at once, as versions differ in how pages are requested. Rows of tables are no documents.
    query={"limit": 5000, "limit_start": 0, "order_by": "name asc", "filters": '[["istable", "=", 0]]'},
)
