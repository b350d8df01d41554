"""Actions."""

from patchbay.domain.fields import Argument
from patchbay.integration import OnInterrupted, dropdown, request_action, rows, text

from .tickets import ticket


def _user(key: str, label: str, description: str = "", **given: str) -> Argument:
    return dropdown(key, label, source="listUsers", given=given, variables=True, description=description)


_TICKET = dropdown(
    "ticketId",
    "Ticket",
    source="listFirstPageOfTickets",
    required=True,
    variables=True,
    description="The list shows the 100 newest tickets; enter the ID of an older one.",
)
_ASSIGNEE = _user("assigneeId", "Assignee", showUserRole="true", includeAdmins="true")
_GROUP = dropdown("groupId", "Group", source="listGroups", variables=True)
_PUBLIC = dropdown(
    "publicOrNot",
    "Public comment",
    (("yes", "Yes"), ("no", "No, internal note")),
    variables=True,
    description="Public if you choose nothing.",
)
_TAGS = text("tags", "Tags", description="Separated by commas.")
_STATUS = dropdown(
    "status",
    "Status",
    (
        ("new", "New"),
        ("open", "Open"),
        ("pending", "Pending"),
        ("hold", "On hold"),
        ("solved", "Solved"),
        ("closed", "Closed"),
    ),
    variables=True,
)
_TYPE = dropdown(
    "type",
    "Type",
    (("problem", "Problem"), ("incident", "Incident"), ("question", "Question"), ("task", "Task")),
    variables=True,
)
_PRIORITY = dropdown(
    "priority",
    "Priority",
    (("urgent", "Urgent"), ("high", "High"), ("normal", "Normal"), ("low", "Low")),
    variables=True,
)
_SUBMITTER = _user(
    "submitterId", "Submitter", "Who creates the ticket for the requester.", includeAdmins="false"
)
_SHARING = dropdown("sharingAgreement", "Agreement", source="listSharingAgreements", variables=True)

create_ticket = request_action(
    key="createTicket",
    name="Create ticket",
    description="Creates a ticket with a first comment.",
    arguments=(
        text("subject", "Subject", required=True),
        _ASSIGNEE,
        rows(
            "collaborators",
            "Collaborators",
            [_user("collaborator", "Collaborator", includeAdmins="true")],
            description="They get copies of public comments.",
        ),
        rows("collaboratorEmails", "Collaborators by email", [text("collaboratorEmail", "Email")]),
        _GROUP,
        text("requesterName", "Requester name"),
        text("requesterEmail", "Requester email", description="You are the requester if it's empty."),
        dropdown("format", "Format", ("Plain Text", "HTML"), variables=True, description="Of the comment."),
        text("comment", "Comment", required=True, multiline=True),
        _PUBLIC,
        _TAGS,
        _STATUS,
        _TYPE,
        text("dueAt", "Due", placeholder="2026-03-31T14:30:00Z", description="Only for tasks."),
        _PRIORITY,
        _SUBMITTER,
        dropdown("ticketForm", "Ticket form", source="listTicketForms", variables=True),
        rows("sharingAgreements", "Sharing agreements", [_SHARING]),
        dropdown("brandId", "Brand", source="listBrands", variables=True),
    ),
    request="POST /api/v2/tickets",
    body=ticket,
)

update_ticket = request_action(
    key="updateTicket",
    name="Update ticket",
    description="Changes a ticket. Empty fields stay as they are.",
    arguments=(
        _TICKET,
        text("subject", "Subject"),
        _ASSIGNEE,
        _GROUP,
        _STATUS,
        text("comment", "Comment", multiline=True),
        _PUBLIC,
        text("tags", "Tags", description="Separated by commas. They replace those of the ticket."),
        _TYPE,
        _PRIORITY,
        _SUBMITTER,
    ),
    request="PUT /api/v2/tickets/{ticketId}",
    body=ticket,
    on_interrupted=OnInterrupted.ASK,  # a comment would be added twice
)

find_ticket = request_action(
    key="findTicket",
    name="Find ticket",
    description="Finds the newest ticket for a search. Outputs nothing if there is none.",
    arguments=(
        text(
            "query", "Search", required=True, description="Words, or a search such as “status:open printer”."
        ),
    ),
    request="GET /api/v2/search",
    query={"query": "type:ticket {query}", "sort_by": "created_at", "sort_order": "desc"},
    output="results.0",
)

delete_ticket = request_action(
    key="deleteTicket",
    name="Delete ticket",
    description="Deletes a ticket. Administrators can restore it for 30 days.",
    arguments=(_TICKET,),
    request="DELETE /api/v2/tickets/{ticketId}",
    output={"data": "{response}"},
)

create_user = request_action(
    key="createUser",
    name="Create user",
    description="Creates a user.",
    arguments=(
        text("name", "Name", required=True),
        text("email", "Email", required=True),
        text("details", "Details", multiline=True, description="Such as an address."),
        text("notes", "Notes", multiline=True),
        text("phone", "Phone"),
        _TAGS,
        text("role", "Role", placeholder="end-user", description="end-user, agent, or admin."),
        dropdown("organizationId", "Organization", source="listOrganizations", variables=True),
        text("externalId", "External ID", description="The user's ID in another system."),
        dropdown(
            "verified",
            "Email is verified",
            (("true", "Yes"), ("false", "No")),
            variables=True,
        ),
    ),
    request="POST /api/v2/users",
    body={
        "user": {
            "name": "{name}",
            "email": "{email}",
            "details": "{details}",
            "notes": "{notes}",
            "phone": "{phone}",
            "tags": "{tags:list}",
            "role": "{role}",
            "organization_id": "{organizationId}",
            "external_id": "{externalId}",
            "verified": "{verified:bool}",
        }
    },
)

delete_user = request_action(
    key="deleteUser",
    name="Delete user",
    description="Deletes a user. Users with open tickets can't be deleted.",
    arguments=(
        dropdown(
            "userId",
            "User",
            source="listUsers",
            given={"showUserRole": "true", "includeAllUsers": "true"},
            required=True,
            variables=True,
        ),
    ),
    request="DELETE /api/v2/users/{userId}",
)
