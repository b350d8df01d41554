"""Actions."""

from patchbay.integration import dropdown, request_action, text

create_issue = request_action(
    key="createIssue",
    name="Create issue",
    description="Creates an issue in a repository.",
    arguments=(
        dropdown("repo", "Repository", source="listRepos", required=True, variables=True),
        text("title", "Title", required=True),
        text("body", "Body", required=True, multiline=True, description="Markdown."),
    ),
    request="POST /repos/{repo:path}/issues",
)
