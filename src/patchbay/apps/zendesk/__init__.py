"""Zendesk, customer support. API: Ticketing, version 2, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_ticket, create_user, delete_ticket, delete_user, find_ticket, update_ticket
from .auth import auth
from .dynamic_data import (
    list_brands,
    list_first_page_of_tickets,
    list_groups,
    list_organizations,
    list_sharing_agreements,
    list_ticket_forms,
    list_users,
    list_views,
)
from .triggers import new_tickets, new_users

app = App(
    name="Zendesk",
    key="zendesk",
    supports_connections=True,
    base_url="https://zendesk.com/",
    api_base_url="{auth.instanceUrl}",
    primary_color="#17494d",
    description="Start a flow for new tickets and users, and manage tickets and users.",
    category="Customer support",
    keywords=("helpdesk", "ticket"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_tickets, new_users],
    actions=[create_ticket, create_user, delete_ticket, delete_user, find_ticket, update_ticket],
    dynamic_data=[
        list_users,
        list_brands,
        list_first_page_of_tickets,
        list_groups,
        list_organizations,
        list_sharing_agreements,
        list_ticket_forms,
        list_views,
    ],
)
