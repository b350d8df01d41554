"""Deals, leads, persons, organizations, and more for dropdowns."""

from typing import Any

from patchbay.integration import DynamicData, cursor, offsets, option_list

BY_CURSOR = cursor("additional_data.next_cursor", "cursor", limit_key="limit", limit=500)
BY_OFFSET = offsets("start", limit=500)
"""For what API version 2 doesn't have yet."""


def _list(key: str, name: str, label: str = "{name}", value: str = "{id}") -> DynamicData:
    return option_list(key, f"/api/v1/{name}", at="data", label=label, value=value, absent_if_empty=True)


def _labels(response: Any) -> list[Any]:
    """The options of the field for labels."""
    fields = [field for field in response["data"] if field.get("field_code") == "label_ids"]
    return [option for field in fields for option in field.get("options") or []]


LISTS = [
    _list("listActivityTypes", "activityTypes", value="{key_string}"),
    _list("listCurrencies", "currencies", label="{name} ({code})", value="{code}"),
    _list("listLeadLabels", "leadLabels"),
    _list("listUsers", "users"),
    option_list(
        "listLeads",
        "/api/v1/leads",
        at="data",
        label="{title}",
        query={"sort": "add_time DESC"},
        pages=BY_OFFSET,
        in_order=True,
        absent_if_empty=True,
    ),
    option_list(
        "listDeals",
        "/api/v2/deals",
        at="data",
        label="{title}",
        query={"sort_by": "add_time", "sort_direction": "desc"},
        pages=BY_CURSOR,
        in_order=True,
    ),
    option_list("listOrganizations", "/api/v2/organizations", at="data", pages=BY_CURSOR),
    option_list("listPersons", "/api/v2/persons", at="data", pages=BY_CURSOR),
    option_list("listStages", "/api/v2/stages", at="data", pages=BY_CURSOR, in_order=True),
    option_list(
        "listOrganizationLabelField", "/api/v2/organizationFields?limit=500", at=_labels, label="{label}"
    ),
    option_list("listPersonLabelField", "/api/v2/personFields?limit=500", at=_labels, label="{label}"),
]
