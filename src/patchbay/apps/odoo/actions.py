"""Actions."""

from patchbay.integration import Action, Context, dropdown, text
from patchbay.integration.values import text_of

from .calls import execute

_FIELDS = {
    "name": "name",
    "type": "type",
    "email_from": "email",
    "contact_name": "contactName",
    "phone": "phoneNumber",
    "mobile": "mobileNumber",
}
"""The fields of a lead, with the arguments that they are filled with."""


async def _create_lead(ctx: Context) -> None:
    filled = {field: text_of(ctx.parameters, argument) for field, argument in _FIELDS.items()}
    values = {field: value for field, value in filled.items() if value}
    ctx.set_action_item({"id": await execute(ctx, "crm.lead", "create", [values])})


create_lead = Action(
    key="createLead",
    name="Create lead",
    description="Creates a lead or an opportunity.",
    arguments=(
        text("name", "Name", required=True),
        dropdown(
            "type",
            "Type",
            (("lead", "Lead"), ("opportunity", "Opportunity")),
            required=True,
            variables=True,
        ),
        text("email", "Email", description="The address of the contact."),
        text("contactName", "Contact name"),
        text("phoneNumber", "Phone number"),
        text("mobileNumber", "Mobile number", description="Odoo 19 and later have no such field."),
    ),
    run=_create_lead,
)
