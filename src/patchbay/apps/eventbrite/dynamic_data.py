"""Organizations and what they have, and currencies, for dropdowns."""

from patchbay.domain.base import JsonObject
from patchbay.integration import cursor, fixed_list, option_list
from patchbay.integration.values import as_bool

_PAGES = cursor("pagination.continuation", "continuation", more="pagination.has_more_items")
_CURRENCIES = (
    "ARS AUD BRL CAD CHF CLP COP CZK DKK EUR GBP HKD HUF ILS INR JPY KRW MXN MYR NOK NZD PEN PHP PLN SEK SGD "
    "THB TRY TWD USD VND ZAR"
)

list_organizations = option_list(
    "listOrganizations", "/v3/users/me/organizations/", at="organizations", pages=_PAGES
)


def _events(parameters: JsonObject) -> JsonObject:
    """All events, newest first, or only those that aren't published."""
    status = "draft" if as_bool(parameters.get("unpublished")) else "all"
    return {"order_by": "created_desc", "status": status}


list_events = option_list(
    "listEvents",
    "/v3/organizations/{organizationId}/events/",
    query=_events,
    at="events",
    label="{name.text}",
    pages=_PAGES,
    in_order=True,
)
list_venues = option_list(
    "listVenues",
    "/v3/organizations/{organizationId}/venues/",
    at="venues",
    pages=_PAGES,
)
list_currency = fixed_list("listCurrency", [(code, code) for code in _CURRENCIES.split()])
