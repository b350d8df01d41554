"""GitLab, code hosting, also on your own server. API: version 4, with OAuth 2."""

from patchbay.integration import App, bearer, own_instance

from .auth import auth
from .dynamic_data import list_projects
from .triggers import (
    confidential_issues_events,
    confidential_note_events,
    deployment_events,
    feature_flag_events,
    issues_events,
    job_events,
    merge_requests_events,
    note_events,
    pipeline_events,
    push_events,
    releases_events,
    tag_push_events,
    wiki_page_events,
)

app = App(
    name="GitLab",
    key="gitlab",
    supports_connections=True,
    base_url="https://gitlab.com",
    api_base_url="https://gitlab.com",
    primary_color="#FC6D26",
    description="Start a flow for events in a project, such as pushes, issues, and merge requests.",
    category="Developer tools",
    keywords=("git", "code", "repository", "issue"),
    auth=auth,
    before_request=[own_instance(), bearer(field="accessToken")],
    triggers=[
        confidential_issues_events,
        confidential_note_events,
        deployment_events,
        feature_flag_events,
        issues_events,
        job_events,
        merge_requests_events,
        note_events,
        pipeline_events,
        push_events,
        releases_events,
        tag_push_events,
        wiki_page_events,
    ],
    dynamic_data=[list_projects],
)
