"""Forums for dropdowns."""

from patchbay.integration import cursor, option_list

list_forums = option_list(
    "listForums",
    "/3.0/users/listForums.json",
    at="response",
    pages=cursor("cursor.next", "cursor", more="cursor.hasNext", limit_key="limit"),
)
