"""Tickets as Zendesk expects them."""

from patchbay.domain.base import Json, JsonObject
from patchbay.integration.templates import find_value
from patchbay.integration.values import as_bool, text_of

_PLAIN = {
    "subject": "subject",
    "assigneeId": "assignee_id",
    "groupId": "group_id",
    "status": "status",
    "type": "type",
    "priority": "priority",
    "submitterId": "submitter_id",
    "dueAt": "due_at",
    "ticketForm": "ticket_form_id",
    "brandId": "brand_id",
}


def ticket(parameters: JsonObject) -> JsonObject:
    """The body that creates or updates a ticket, without what is empty."""
    found: dict[str, Json] = {theirs: parameters.get(ours) for ours, theirs in _PLAIN.items()}
    found |= {
        "comment": _comment(parameters),
        "requester": _without_empty(
            {"name": text_of(parameters, "requesterName"), "email": text_of(parameters, "requesterEmail")}
        ),
        "tags": [tag.strip() for tag in text_of(parameters, "tags").split(",") if tag.strip()],
        "collaborators": [
            *_column(parameters, "collaborators", "collaborator"),
            *_column(parameters, "collaboratorEmails", "collaboratorEmail"),
        ],
        "sharing_agreement_ids": _column(parameters, "sharingAgreements", "sharingAgreement"),
    }
    return {"ticket": _without_empty(found)}


def _comment(parameters: JsonObject) -> JsonObject:
    content = text_of(parameters, "comment")
    if not content:
        return {}
    body = "html_body" if parameters.get("format") == "HTML" else "body"
    return {body: content, "public": as_bool(parameters.get("publicOrNot"), default=True)}


def _column(parameters: JsonObject, key: str, name: str) -> list[Json]:
    """The values of rows with one input; a number where it's an ID."""
    values = find_value(dict(parameters), f"{key}[].{name}") or []
    return [int(value) if str(value).isdecimal() else value for value in values]


def _without_empty(values: JsonObject) -> JsonObject:
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}
