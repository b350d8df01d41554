"""GitHub, code hosting. API: REST, version 2022-11-28, with OAuth 2."""

from patchbay.integration import App, bearer, fixed_headers

from .actions import create_issue
from .auth import auth
from .dynamic_data import list_labels, list_repos
from .triggers import new_issues, new_pull_request_event, new_pull_requests, new_stargazers, new_watchers

app = App(
    name="GitHub",
    key="github",
    supports_connections=True,
    base_url="https://github.com",
    api_base_url="https://api.github.com",
    primary_color="#000000",
    description="Start a flow for issues, pull requests, stars, and watchers, and create issues.",
    category="Developer tools",
    keywords=("git", "code", "repository", "issue"),
    auth=auth,
    before_request=[
        bearer(field="accessToken"),
        fixed_headers({"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}),
    ],
    triggers=[new_issues, new_pull_requests, new_stargazers, new_watchers, new_pull_request_event],
    actions=[create_issue],
    dynamic_data=[list_labels, list_repos],
)
