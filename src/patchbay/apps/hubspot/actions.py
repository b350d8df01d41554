"""Actions."""

from patchbay.domain.base import Json
from patchbay.integration import OnInterrupted, request_action, text

_PROPERTIES = (
    text("company", "Company"),
    text("email", "Email"),
    text("firstName", "First name"),
    text("lastName", "Last name"),
    text("phone", "Phone"),
    text("website", "Website"),
    text(
        "hubspotOwnerId",
        "Owner ID",
        description="The ID of the HubSpot user who is responsible for the contact.",
    ),
)
_BODY: dict[str, Json] = {
    "properties": {
        "company": "{company}",
        "email": "{email}",
        "firstname": "{firstName}",
        "lastname": "{lastName}",
        "phone": "{phone}",
        "website": "{website}",
        "hubspot_owner_id": "{hubspotOwnerId}",
    }
}

create_contact = request_action(
    key="createContact",
    name="Create contact",
    description="Creates a contact. HubSpot rejects an email that another contact has.",
    arguments=_PROPERTIES,
    request="POST /crm/v3/objects/contacts",
    body=_BODY,
)

update_contact = request_action(
    key="updateContact",
    name="Update contact",
    description="Changes a contact. Empty fields stay as they are.",
    arguments=(text("contactId", "Contact ID", required=True), *_PROPERTIES),
    request="PATCH /crm/v3/objects/contacts/{contactId}",
    body=_BODY,
    on_interrupted=OnInterrupted.REPEAT,
)
