"""The organization of the connection, for dropdowns."""

from patchbay.integration import option_list

list_organizations = option_list(
    "listOrganizations",
    "/api.xro/2.0/Organisation",
    at="Organisations",
    label="{Name}",
    value="{OrganisationID}",
)
