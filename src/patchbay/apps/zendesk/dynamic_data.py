"""Users, groups, tickets, views, and more for dropdowns."""

from patchbay.domain.base import JsonObject
from patchbay.integration import DynamicData, cursor, option_list, page_numbers
from patchbay.integration.values import as_bool

PAGES = cursor("meta.after_cursor", "page[after]", more="meta.has_more", limit_key="page[size]")
_NUMBERED = page_numbers(limit_key="per_page")


def _roles(parameters: JsonObject) -> JsonObject:
    """Agents and administrators, or all users."""
    if as_bool(parameters.get("includeAllUsers")):
        return {}
    return {"role[]": ["agent", "admin"] if as_bool(parameters.get("includeAdmins")) else ["agent"]}


list_users = option_list(
    "listUsers", "/api/v2/users", at="users", label="{name} ({role})", query=_roles, pages=PAGES
)
list_first_page_of_tickets = option_list(
    "listFirstPageOfTickets",
    "/api/v2/tickets",
    at="tickets",
    label="#{id} {subject}",
    query={"page[size]": 100, "sort": "-id"},
    in_order=True,
)


def _by_cursor(key: str, name: str, label: str = "{name}") -> DynamicData:
    return option_list(key, f"/api/v2/{name}", at=name, label=label, pages=PAGES)


def _by_number(key: str, name: str) -> DynamicData:
    return option_list(key, f"/api/v2/{name}", at=name, pages=_NUMBERED)


list_groups = _by_cursor("listGroups", "groups")
list_organizations = _by_cursor("listOrganizations", "organizations")
list_views = _by_cursor("listViews", "views", "{title}")
list_brands = _by_number("listBrands", "brands")
list_sharing_agreements = _by_number("listSharingAgreements", "sharing_agreements")
list_ticket_forms = _by_number("listTicketForms", "ticket_forms")
