"""Calendars for dropdowns."""

from patchbay.integration import option_list
from patchbay.integration.google import google_pages

list_calendars = option_list(
    "listCalendars",
    "/v3/users/me/calendarList",
    at="items",
    label="{summaryOverride|summary}",
    pages=google_pages("maxResults", 250),
    absent_if_empty=True,
)
