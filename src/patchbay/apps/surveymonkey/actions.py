"""Actions."""

from patchbay.integration import dropdown, request_action, text

create_contact = request_action(
    key="createContact",
    name="Create contact",
    description="Creates a contact, in a contact list if you choose one.",
    arguments=(
        text("firstName", "First name", required=True),
        text("lastName", "Last name", required=True),
        text("email", "Email", required=True),
        dropdown("contactListId", "Contact list", source="listContactLists", variables=True),
    ),
    request=lambda parameters: (
        "POST /v3/contact_lists/{contactListId}/contacts"
        if parameters.get("contactListId")
        else "POST /v3/contacts"
    ),
    body={"first_name": "{firstName}", "last_name": "{lastName}", "email": "{email}"},
)
