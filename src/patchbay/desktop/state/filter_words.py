"""What a filter compares, in words: for the result of its step, and for the newest data."""

from patchbay.domain.base import AppKey, Json
from patchbay.domain.conditions import Groups, groups_of, matching, unknown_operator, verdict
from patchbay.domain.executions import ExecutionStep

FILTER: AppKey = "filter"


def comparison(result: ExecutionStep | None) -> str:
    """Whether the conditions of a filter matched, with each comparison; empty for other steps."""
    if result is None or result.step.app_key != FILTER:
        return ""
    lines = comparisons(result.data_in)
    return "\n".join([outlook(result.data_in), *lines]) if lines else ""


def outlook(data_in: Json) -> str:
    """What a filter with this input does."""
    groups = _groups(data_in)
    if not groups:
        return ""
    return (
        "The conditions match, so the run goes on." if matching(groups) else "No match, so the run ends here."
    )


def comparisons(data_in: Json) -> list[str]:
    """Each comparison of a filter's input with its outcome; “or” between groups."""
    lines: list[str] = []
    for group in _groups(data_in):
        lines += ["or"] if lines else []
        lines += map(verdict, group)
    return lines


def _groups(data_in: Json) -> Groups:
    groups = groups_of(data_in.get("or")) if isinstance(data_in, dict) else []
    return groups if unknown_operator(groups) is None else []
