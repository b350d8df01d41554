"""Models for dropdowns."""

from patchbay.integration import cursor, option_list

list_models = option_list(
    "listModels",
    "/v1/models",
    at="data",
    label="{display_name|id}",
    pages=cursor("last_id", "after_id", more="has_more", limit_key="limit"),
)
