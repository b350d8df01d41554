"""Salesforce, a CRM. API: REST, version 56.0, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_attachment, execute_query, find_partially_matching_record, find_record
from .auth import auth
from .dynamic_data import list_fields, list_objects
from .triggers import updated_field_in_records

app = App(
    name="Salesforce",
    key="salesforce",
    supports_connections=True,
    base_url="https://salesforce.com",
    api_base_url="{auth.instanceUrl}",
    primary_color="#00A1E0",
    description="Start a flow when a field changes, find records, run queries, and attach files.",
    category="CRM",
    keywords=("contacts", "leads", "sales"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[updated_field_in_records],
    actions=[find_record, find_partially_matching_record, create_attachment, execute_query],
    dynamic_data=[list_objects, list_fields],
)
