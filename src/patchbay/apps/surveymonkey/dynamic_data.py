"""Surveys and contact lists for dropdowns."""

from patchbay.integration import option_list, page_numbers

list_surveys = option_list(
    "listSurveys",
    "/v3/surveys",
    query={"sort_by": "date_modified", "sort_order": "DESC"},
    at="data",
    label="{title}",
    pages=page_numbers(limit_key="per_page", limit=1000),
    in_order=True,
)
list_contact_lists = option_list(
    "listContactLists", "/v3/contact_lists", at="data", pages=page_numbers(limit_key="per_page", limit=1000)
)
