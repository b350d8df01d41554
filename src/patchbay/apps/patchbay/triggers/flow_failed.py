"""The trigger “A flow failed”."""

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.flow_calls import ANY_FLOW, FLOW_FAILED_TRIGGER, failure_item
from patchbay.integration import Context, Trigger, TriggerKind, dropdown
from patchbay.integration.values import text_of

NO_EXECUTION = ExecutionId("00000000-0000-4000-8000-000000000000")
SECOND = 1000


async def run(ctx: Context) -> None:
    """The test item: a sample failure of the chosen flow, or of a made-up one."""
    chosen = FlowId(text_of(ctx.parameters, "flow"))
    known = {choice.id: choice.name for choice in await ctx.flows.flows()} if ctx.flows else {}
    flow = (chosen, known[chosen]) if chosen in known else (ctx.flow.id, "An example")
    error = {
        "happened": "Redmine responded “Invalid credentials” (401).",
        "meaning": "The service rejected the credentials.",
        "todo": "Reconnect it in My Apps.",
    }
    ctx.push_trigger_item(
        failure_item(
            flow=flow,
            execution=(NO_EXECUTION, ctx.now - SECOND),
            step=(2, "Create issue", "Redmine"),
            error={**error},
            failed_at=ctx.now,
        )
    )


flow_failed = Trigger(
    key=FLOW_FAILED_TRIGGER,
    name="A flow failed",
    description="Starts when an execution of a flow fails for good, with details of the error.",
    kind=TriggerKind.EVENT,
    supports_connections=False,
    arguments=(dropdown("flow", "Flow", source="listFlows", required=True, value=ANY_FLOW),),
    run=run,
)
