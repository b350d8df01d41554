"""Notion, documents and databases. API: version 2022-06-28, with OAuth 2 (public integration)."""

from patchbay.integration import App, RateLimit, bearer, fixed_headers

from .actions import create_database_item, create_page, find_database_item, update_database_item
from .auth import auth
from .dynamic_data import list_database_items, list_databases, list_parent_pages, list_tags
from .dynamic_fields import list_database_properties
from .triggers import new_database_items, updated_database_items

app = App(
    name="Notion",
    key="notion",
    supports_connections=True,
    base_url="https://notion.com",
    api_base_url="https://api.notion.com",
    primary_color="#000000",
    description="Start a flow for new and changed database items, and create, find, and update pages.",
    category="Productivity",
    keywords=("notes", "wiki", "database"),
    auth=auth,
    before_request=[bearer(field="accessToken"), fixed_headers({"Notion-Version": "2022-06-28"})],
    rate_limit=RateLimit(calls=3, seconds=1),
    triggers=[new_database_items, updated_database_items],
    actions=[create_database_item, create_page, find_database_item, update_database_item],
    dynamic_data=[list_database_items, list_databases, list_parent_pages, list_tags],
    dynamic_fields=[list_database_properties],
)
