"""Airtable, tables and databases. API: Web API, version 0, with OAuth 2."""

from patchbay.integration import App, RateLimit, bearer

from .actions import create_record, find_record
from .auth import auth
from .dynamic_data import list_bases, list_table_fields, list_table_views, list_tables
from .dynamic_fields import list_fields

app = App(
    name="Airtable",
    key="airtable",
    supports_connections=True,
    base_url="https://airtable.com",
    api_base_url="https://api.airtable.com",
    primary_color="#FFBF00",
    description="Create and find records in your bases.",
    category="Databases",
    keywords=("spreadsheet", "table", "database"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    rate_limit=RateLimit(calls=5, seconds=1),
    actions=[create_record, find_record],
    dynamic_data=[list_bases, list_table_fields, list_table_views, list_tables],
    dynamic_fields=[list_fields],
)
