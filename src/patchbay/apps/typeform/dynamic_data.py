"""Forms for dropdowns."""

from patchbay.integration import option_list, page_numbers

list_forms = option_list(
    "listForms",
    "/forms",
    at="items",
    label="{title}",
    pages=page_numbers(limit_key="page_size", limit=200, total_pages="page_count"),
)
