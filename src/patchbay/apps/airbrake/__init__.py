"""Airbrake, error tracking. API: version 4, with a user's key in the query."""

from patchbay.integration import App, query_key

from .auth import auth
from .dynamic_data import list_projects
from .triggers import new_errors

app = App(
    name="Airbrake",
    key="airbrake",
    supports_connections=True,
    base_url="https://www.airbrake.io",
    api_base_url="{auth.instanceUrl}",
    primary_color="#f58c54",
    description="Start a flow when a new error appears in a project.",
    category="Monitoring",
    keywords=("error", "exception"),
    auth=auth,
    before_request=[query_key("key", field="authToken")],
    triggers=[new_errors],
    dynamic_data=[list_projects],
)
