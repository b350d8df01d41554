"""Gitea, code hosting on your own server. API: version 1, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_issue
from .auth import auth
from .dynamic_data import list_labels, list_repos
from .triggers import new_issues, new_pull_requests, new_stargazers, new_watchers

app = App(
    name="Gitea",
    key="gitea",
    supports_connections=True,
    base_url="https://www.gitea.com",
    api_base_url="{auth.instanceUrl}/api/v1",
    primary_color="#609926",
    description="Start a flow for issues, pull requests, stars, and watchers, and create issues.",
    category="Developer tools",
    keywords=("git", "code", "repository", "forgejo"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_issues, new_pull_requests, new_stargazers, new_watchers],
    actions=[create_issue],
    dynamic_data=[list_labels, list_repos],
)
