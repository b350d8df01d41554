"""What a filter compares, in words: for the result of its step, and for the newest data."""

from patchbay.domain.base import AppKey, Json
from patchbay.domain.conditions import (
    Groups,
    describe_result,
    matching_groups,
    parse_groups,
    unknown_operator,
)
from patchbay.domain.executions import ExecutionStep

FILTER: AppKey = "filter"


def comparison(result: ExecutionStep | None) -> str:
    """Whether the conditions of a filter matched, with each comparison; empty for other steps."""
    return outlook(result.data_in) if result is not None and result.step.app_key == FILTER else ""


def outlook(data_in: Json) -> str:
    """What a filter with this input does, and below it each comparison with its outcome."""
    groups = _groups(data_in)
    if not groups:
        return ""
    goes_on = matching_groups(groups)
    lines = ["The conditions match, so the run goes on." if goes_on else "No match, so the run ends here."]
    for number, group in enumerate(groups):
        lines += ["or"] if number else []
        lines += map(describe_result, group)
    return "\n".join(lines)


def _groups(data_in: Json) -> Groups:
    groups = parse_groups(data_in.get("or")) if isinstance(data_in, dict) else []
    return groups if unknown_operator(groups) is None else []
