"""What a filter compared, in words, for the result of its step."""

from patchbay.domain.conditions import groups_of, matching, unknown_operator, verdict
from patchbay.domain.executions import ExecutionStep

FILTER = "filter"


def comparison(result: ExecutionStep | None) -> str:
    """Whether the conditions of a filter matched, with each comparison; empty for other steps."""
    if result is None or result.step.app_key != FILTER or not isinstance(result.data_in, dict):
        return ""
    groups = groups_of(result.data_in.get("or"))
    if not groups or unknown_operator(groups) is not None:
        return ""
    matched = bool(matching(groups))
    told = "The conditions match, so the run goes on." if matched else "No match, so the run ends here."
    lines = [told]
    for number, group in enumerate(groups):
        lines += ["or"] if number else []
        lines += map(verdict, group)
    return "\n".join(lines)
