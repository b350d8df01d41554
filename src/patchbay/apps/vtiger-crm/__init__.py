"""Vtiger CRM. API: web services of version 1 (`webservice.php`) with a session, and REST for the user."""

from patchbay.integration import App, basic_auth

from .actions.create_case import create_case
from .actions.create_contact import create_contact
from .actions.create_lead import create_lead
from .actions.create_opportunity import create_opportunity
from .actions.create_todo import create_todo
from .auth import auth
from .dynamic_data import LISTS
from .session import find_error
from .triggers import new_cases, new_contacts, new_invoices, new_leads, new_opportunities, new_todos

app = App(
    name="Vtiger CRM",
    key="vtiger-crm",
    supports_connections=True,
    base_url="https://www.vtiger.com",
    api_base_url="{auth.instanceUrl}",
    primary_color="#39a86d",
    description="Start a flow for new records, and create cases, contacts, leads, opportunities, and to-dos.",
    category="CRM",
    keywords=("contacts", "leads", "sales"),
    auth=auth,
    before_request=[basic_auth(password="accessKey")],
    error_in_response=find_error,
    triggers=[new_cases, new_contacts, new_invoices, new_leads, new_opportunities, new_todos],
    actions=[create_case, create_contact, create_lead, create_opportunity, create_todo],
    dynamic_data=LISTS,
)
