"""Triggers."""

from patchbay.integration import Trigger, list_items, polling_trigger

from .dynamic_data import BY_CURSOR, BY_OFFSET


def _new_trigger(key: str, name: str, what: str, path: str) -> Trigger:
    """A trigger that lists new records with API version 2, or version 1 if only that has them."""
    is_v2 = path.startswith("/api/v2/")
    return polling_trigger(
        key=key,
        name=name,
        description=f"Starts when {what} is created.",
        items=list_items(
            path,
            at="data",
            query={"sort_by": "add_time", "sort_direction": "desc"} if is_v2 else {"sort": "add_time DESC"},
            pages=BY_CURSOR if is_v2 else BY_OFFSET,
            absent_if_empty=True,
        ),
    )


new_activities = _new_trigger("newActivities", "New activity", "an activity", "/api/v2/activities")
new_deals = _new_trigger("newDeals", "New deal", "a deal", "/api/v2/deals")
new_leads = _new_trigger("newLeads", "New lead", "a lead", "/api/v1/leads")
new_notes = _new_trigger("newNotes", "New note", "a note", "/api/v1/notes")
