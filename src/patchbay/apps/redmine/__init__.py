"""Redmine, project management on your own server. API: Redmine REST, version 5."""

from patchbay.integration import App, header_key

from .actions.create_issue import create_issue
from .auth import auth
from .dynamic_data.list_assignees import list_assignees
from .dynamic_data.list_priorities import list_priorities
from .dynamic_data.list_projects import list_projects
from .dynamic_data.list_trackers import list_trackers
from .triggers.new_issue import new_issue

app = App(
    name="Redmine",
    key="redmine",
    icon_url="{BASE_URL}/apps/redmine/assets/icon.svg",
    auth_doc_url="{DOCS_URL}/apps/redmine/connection",
    supports_connections=True,
    base_url="https://www.redmine.org",
    api_base_url="{auth.instanceUrl}",
    primary_color="#B32024",
    description="Start a flow when an issue is created, and create issues.",
    category="Project management",
    keywords=("issue", "ticket", "bug"),
    auth=auth,
    before_request=[header_key("X-Redmine-API-Key")],
    triggers=[new_issue],
    actions=[create_issue],
    dynamic_data=[list_assignees, list_priorities, list_projects, list_trackers],
)
