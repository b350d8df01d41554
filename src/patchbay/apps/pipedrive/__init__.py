"""Pipedrive, a CRM. API: version 2, and version 1 for what it lacks, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import (
    create_activity,
    create_deal,
    create_lead,
    create_note,
    create_organization,
    create_person,
)
from .auth import auth
from .dynamic_data import LISTS
from .triggers import new_activities, new_deals, new_leads, new_notes

app = App(
    name="Pipedrive",
    key="pipedrive",
    supports_connections=True,
    base_url="https://www.pipedrive.com",
    api_base_url="{auth.apiDomain}",
    primary_color="#FFFFFF",
    description="Start a flow for new deals, leads, activities, and notes, and create records.",
    category="CRM",
    keywords=("contacts", "deals", "sales"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_activities, new_deals, new_leads, new_notes],
    actions=[create_activity, create_deal, create_lead, create_note, create_organization, create_person],
    dynamic_data=LISTS,
)
