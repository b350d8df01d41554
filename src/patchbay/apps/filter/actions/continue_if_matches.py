"""The action “Continue if conditions match”."""

from patchbay.domain.conditions import describe_condition, operator_problem, parse_groups
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Action, Argument, ArgumentType, Context, OnInterrupted
from patchbay.integration.conditions import evaluate
from patchbay.integration.values import parameter_error


async def run(ctx: Context) -> None:
    """Continue with the matching conditions as output, or end the run with the reason."""
    groups = parse_groups(ctx.parameters.get("or"))
    if not groups:
        raise parameter_error(
            "or", "The filter has no condition.", "Add at least one condition to this step."
        )
    if problem := operator_problem(groups):
        raise parameter_error("or", problem, "Change the condition in this step.")
    try:
        results = await evaluate(groups, ctx.now, ctx.time_zone, ctx.compute)
    except ValidationFailed as error:
        raise parameter_error("or", error.happened, error.todo) from None
    if not any(map(all, results)):
        failed = [group[result.index(False)] for group, result in zip(groups, results, strict=True)]
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        ctx.execution.exit(
            f"Stopped because this condition doesn't match: {describe_condition(failed[0])}{more}"
        )
    matched = [
        [condition for condition, matches in zip(group, result, strict=True) if matches]
        for group, result in zip(groups, results, strict=True)
    ]
    ctx.set_action_item({"or": [{"and": list(group)} for group in matched if group]})


continue_if_matches = Action(
    key="continueIfMatches",
    name="Continue if conditions match",
    keywords=(
        "only if",
        "stop",
        "skip",
        "compare",
        "when",
        "unless",
    ),
    description="Runs the following steps only if all conditions in at least one group match.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    is_pure=True,
    arguments=(
        Argument(key="or", label="Continue if", type=ArgumentType.CONDITIONS, required=True, variables=True),
    ),
    run=run,
)
