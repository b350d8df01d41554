"""Frappe and ERPNext, business software. API: version 2 of the framework (15 and later), with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_doc, delete_doc, get_doc, get_list, update_doc
from .auth import auth
from .dynamic_data import list_doctypes
from .dynamic_fields import list_fields

app = App(
    name="Frappe / ERPNext",
    key="frappe",
    supports_connections=True,
    base_url="https://frappe.io",
    api_base_url="{auth.site_url}",
    primary_color="#000000",
    description="Create, read, change, list, and delete documents of any type.",
    category="CRM",
    keywords=("erp", "erpnext"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    actions=[create_doc, get_doc, update_doc, delete_doc, get_list],
    dynamic_data=[list_doctypes],
    dynamic_fields=[list_fields],
)
