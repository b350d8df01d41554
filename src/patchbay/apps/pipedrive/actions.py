"""Actions."""

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration import dropdown, request_action, rows, text
from patchbay.integration.templates import fill_object


def _choice(key: str, label: str, source: str, description: str = "", value: str | None = None) -> Argument:
    return dropdown(key, label, source=source, variables=True, description=description, value=value)


_ORGANIZATION = _choice("organizationId", "Organization", "listOrganizations")
_PERSON = _choice("personId", "Person", "listPersons")
_DEAL = _choice("dealId", "Deal", "listDeals")
# Both choose the owner: exported flows have one key or the other, depending on the action.
_OWNER = _choice("ownerId", "Owner", "listUsers", "You, if you choose no one.")
_USER = _choice("userId", "Owner", "listUsers", "You, if you choose no one.")
_VALUE = text("value", "Value", description="A number.")
_CURRENCY = _choice("currency", "Currency", "listCurrencies")
_CLOSE_DATE = text("expectedCloseDate", "Expected close date", placeholder="2026-03-31")


def _flag(key: str, label: str) -> Argument:
    return dropdown(key, label, ((0, "No"), (1, "Yes")))


_ACTIVITY: JsonObject = {
    "subject": "{subject}",
    "org_id": "{organizationId:number}",
    "owner_id": "{userId:number}",
    "deal_id": "{dealId:number}",
    "done": "{isDone:bool}",
    "type": "{type}",
    "due_date": "{dueDate}",
    "due_time": "{dueTime}",
    "duration": "{duration}",
    "note": "{note}",
}


def _activity(parameters: JsonObject) -> JsonObject:
    """The person is the main participant, since an activity's person can't be set."""
    person = fill_object({"person_id": "{personId:number}"}, parameters)
    participants: list[Json] = [{**person, "primary": True}] if person else []
    return {**fill_object(_ACTIVITY, parameters), "participants": participants}


create_activity = request_action(
    key="createActivity",
    name="Create activity",
    description="Creates an activity, such as a call or a meeting.",
    arguments=(
        text("subject", "Subject", required=True),
        _ORGANIZATION,
        _USER,
        _PERSON,
        _DEAL,
        _flag("isDone", "Done"),
        _choice("type", "Type", "listActivityTypes"),
        text("dueDate", "Due date", placeholder="2026-03-31"),
        text("dueTime", "Due time", placeholder="14:30", description="In UTC."),
        text("duration", "Duration", placeholder="01:30", description="Hours and minutes."),
        text("note", "Note", multiline=True, description="Can contain HTML."),
    ),
    request="POST /api/v2/activities",
    body=_activity,
    output="data",
)
create_deal = request_action(
    key="createDeal",
    name="Create deal",
    description="Creates a deal.",
    arguments=(
        text("title", "Title", required=True),
        text("addTime", "Created", placeholder="2026-03-31T14:30:00Z", description="Now if it's empty."),
        dropdown(
            "status",
            "Status",
            (("open", "Open"), ("won", "Won"), ("lost", "Lost"), ("deleted", "Deleted")),
        ),
        text("lostReason", "Lost reason", description="Only for lost deals."),
        _choice("stageId", "Stage", "listStages", value="1"),
        _USER,
        _ORGANIZATION,
        _PERSON,
        text("probability", "Probability", description="Of success, in percent."),
        _CLOSE_DATE,
        _VALUE,
        _CURRENCY,
    ),
    request="POST /api/v2/deals",
    body={
        "title": "{title}",
        "value": "{value:number}",
        "add_time": "{addTime}",
        "status": "{status}",
        "lost_reason": "{lostReason}",
        "stage_id": "{stageId:number}",
        "owner_id": "{userId:number}",
        "org_id": "{organizationId:number}",
        "person_id": "{personId:number}",
        "probability": "{probability:number}",
        "expected_close_date": "{expectedCloseDate}",
        "currency": "{currency}",
    },
    output="data",
)

create_lead = request_action(
    key="createLead",
    name="Create lead",
    description="Creates a lead for a person or an organization; one of them is required.",
    arguments=(
        text("title", "Title", required=True),
        _PERSON,
        _ORGANIZATION,
        _OWNER,
        rows("labelIds", "Labels", [_choice("leadLabelId", "Label", "listLeadLabels")]),
        _CLOSE_DATE,
        text("value", "Value", description="A number. Requires a currency."),
        _CURRENCY,
    ),
    request="POST /api/v1/leads",
    body={
        "title": "{title}",
        "person_id": "{personId:number}",
        "organization_id": "{organizationId:number}",
        "owner_id": "{ownerId:number}",
        "label_ids": "{labelIds[].leadLabelId}",
        "expected_close_date": "{expectedCloseDate}",
        "value": {"amount": "{value:number}", "currency": "{currency}"},
    },
    output="data",
)

create_note = request_action(
    key="createNote",
    name="Create note",
    description="Creates a note for a deal, a lead, a person, or an organization; one of them is required.",
    arguments=(
        text("content", "Content", required=True, multiline=True, description="Can contain HTML."),
        _DEAL,
        _flag("pinnedDeal", "Pin to the deal"),
        _PERSON,
        _flag("pinnedPerson", "Pin to the person"),
        _ORGANIZATION,
        _flag("pinnedOrganization", "Pin to the organization"),
        _choice("leadId", "Lead", "listLeads"),
        _flag("pinnedLead", "Pin to the lead"),
    ),
    request="POST /api/v1/notes",
    body={
        "content": "{content}",
        "deal_id": "{dealId:number}",
        "pinned_to_deal_flag": "{pinnedDeal:number}",
        "person_id": "{personId:number}",
        "pinned_to_person_flag": "{pinnedPerson:number}",
        "org_id": "{organizationId:number}",
        "pinned_to_organization_flag": "{pinnedOrganization:number}",
        "lead_id": "{leadId}",
        "pinned_to_lead_flag": "{pinnedLead:number}",
    },
    output="data",
)

create_organization = request_action(
    key="createOrganization",
    name="Create organization",
    description="Creates an organization.",
    arguments=(
        text("name", "Name", required=True),
        _OWNER,
        _choice("labelId", "Label", "listOrganizationLabelField"),
    ),
    request="POST /api/v2/organizations",
    body={"name": "{name}", "owner_id": "{ownerId:number}", "label_ids": ["{labelId:number}"]},
    output="data",
)


def _person(parameters: JsonObject) -> JsonObject:
    """The first email and phone are the main ones."""
    plain: JsonObject = {
        "name": "{name}",
        "owner_id": "{ownerId:number}",
        "org_id": "{organizationId:number}",
        "label_ids": ["{labelId:number}"],
        "emails": "{emails[].email}",
        "phones": "{phones[].phone}",
    }
    person = fill_object(plain, parameters)
    for key in ("emails", "phones"):
        values = person.get(key)
        listed = values if isinstance(values, list) else []
        person[key] = [{"value": value, "primary": index == 0} for index, value in enumerate(listed)]
    return person


create_person = request_action(
    key="createPerson",
    name="Create person",
    description="Creates a person.",
    arguments=(
        text("name", "Name", required=True),
        _OWNER,
        _ORGANIZATION,
        rows("emails", "Emails", [text("email", "Email")]),
        rows("phones", "Phones", [text("phone", "Phone")]),
        _choice("labelId", "Label", "listPersonLabelField"),
    ),
    request="POST /api/v2/persons",
    body=_person,
    output="data",
)
