"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown, request_action, rows, text
from patchbay.integration.templates import find_value

from .repositories import of_repository


def _issue(parameters: JsonObject) -> JsonObject:
    """The issue. Gitea takes IDs of labels as numbers only."""
    labels = [str(label).strip() for label in find_value(parameters, "labels[].label") or ()]
    return {
        "title": parameters.get("title"),
        "body": parameters.get("body"),
        "labels": [int(label) if label.isdecimal() else label for label in labels],
    }


create_issue = request_action(
    key="createIssue",
    name="Create issue",
    description="Creates an issue in a repository.",
    arguments=(
        dropdown("repo", "Repository", source="listRepos", required=True, variables=True),
        text("title", "Title", required=True),
        text("body", "Body", required=True, multiline=True, description="Markdown."),
        rows(
            "labels",
            "Labels",
            [
                dropdown(
                    "label",
                    "Label",
                    source="listLabels",
                    within="repo",
                    given={"showLabelId": "true"},
                    variables=True,
                )
            ],
            add="Add label",
        ),
    ),
    request=of_repository("/issues", "POST"),
    body=_issue,
)
