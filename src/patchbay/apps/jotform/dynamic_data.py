"""Forms for dropdowns."""

from patchbay.integration import offsets, option_list

list_forms = option_list(
    "listForms",
    "/user/forms",
    query={"orderby": "created_at"},
    at="content",
    label="{title}",
    pages=offsets(limit=1000),
    only=lambda row, parameters: row.get("status") != "DELETED",
)
