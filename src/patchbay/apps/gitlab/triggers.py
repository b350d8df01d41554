"""Triggers: one for each kind of event for which a project can have a webhook."""

from collections.abc import Sequence

from patchbay.domain.base import Json
from patchbay.domain.fields import Argument
from patchbay.integration import Trigger, dropdown, shared_token, text, webhook_trigger

_PROJECT = dropdown("projectId", "Project", source="listProjects", required=True)


def _event(
    key: str,
    name: str,
    description: str,
    arguments: Sequence[Argument] = (),
    more: dict[str, Json] | None = None,
) -> Trigger:
    # GitLab registers for pushes by default.
    others = {} if key == "push_events" else {"push_events": False}
    return webhook_trigger(
        key=key,
        name=name,
        description=description,
        arguments=[_PROJECT, *arguments],
        register="POST /api/v4/projects/{projectId}/hooks",
        body={
            "url": "{webhookUrl}",
            "token": "{webhookSecret}",
            "enable_ssl_verification": True,
            key: True,
            **others,
            **(more or {}),
        },
        unregister="DELETE /api/v4/projects/{projectId}/hooks/{remoteWebhookId}",
        verify=shared_token("X-Gitlab-Token"),
    )


_BRANCHES = (
    dropdown(
        "branch_filter_strategy",
        "Branches",
        (
            ("all_branches", "All"),
            ("wildcard", "Names that match a pattern with *"),
            ("regex", "Names that match a regular expression"),
        ),
        required=True,
        value="all_branches",
    ),
    text(
        "push_events_branch_filter",
        "Pattern",
        variables=False,
        placeholder="release-*",
        description="Only pushes to branches whose names match start the flow.",
        visible_if={"branch_filter_strategy": ["wildcard", "regex"]},
    ),
)

confidential_issues_events = _event(
    "confidential_issues_events",
    "Confidential issue event",
    "Starts when a confidential issue is created, changed, closed, or reopened.",
)
confidential_note_events = _event(
    "confidential_note_events",
    "Confidential comment event",
    "Starts when someone comments in confidence.",
)
deployment_events = _event(
    "deployment_events",
    "Deployment event",
    "Starts when a deployment starts, succeeds, fails, or is canceled.",
)
feature_flag_events = _event(
    "feature_flag_events",
    "Feature flag event",
    "Starts when a feature flag is turned on or off.",
)
issues_events = _event(
    "issues_events",
    "Issue event",
    "Starts when an issue is created, changed, closed, or reopened.",
)
job_events = _event("job_events", "Job event", "Starts when the status of a job changes.")
merge_requests_events = _event(
    "merge_requests_events",
    "Merge request event",
    "Starts when a merge request is created, changed, approved, merged, or closed.",
)
note_events = _event(
    "note_events",
    "Comment event",
    "Starts when someone comments on a commit, issue, merge request, or snippet.",
)
pipeline_events = _event(
    "pipeline_events",
    "Pipeline event",
    "Starts when the status of a pipeline changes.",
)
releases_events = _event(
    "releases_events",
    "Release event",
    "Starts when a release is created, changed, or deleted.",
)
tag_push_events = _event("tag_push_events", "Tag event", "Starts when a tag is created or deleted.")
wiki_page_events = _event(
    "wiki_page_events",
    "Wiki page event",
    "Starts when a wiki page is created, changed, or deleted.",
)
push_events = _event(
    "push_events",
    "Push event",
    "Starts when commits are pushed to a branch.",
    _BRANCHES,
    {
        "branch_filter_strategy": "{branch_filter_strategy}",
        "push_events_branch_filter": "{push_events_branch_filter}",
    },
)
