"""The action “Call a flow”."""

from patchbay.domain.base import FlowId
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, call_output
from patchbay.integration import YES_NO, Action, Context, OnInterrupted, dropdown
from patchbay.integration.values import as_bool, parameter_error, text_of

from ..data import data_arguments, parse_data

NOT_CALLED = "This was a test, so the flow wasn't called. The response is its most recent one."


async def run(ctx: Context) -> None:
    """Call the chosen flow; its response becomes the output. Tests call nothing."""
    flow_id = FlowId(text_of(ctx.parameters, "flow").strip())
    if not flow_id:
        raise parameter_error("flow", "Choose the flow to call.")
    item = parse_data(ctx.parameters)
    wait = as_bool(ctx.parameters.get("wait"), default=True)
    if not ctx.execution.test_run:
        ctx.call_flow(flow_id, {} if item is None else item, wait=wait)
    known = await ctx.flows.callable_flows() if ctx.flows else ()
    if flow_id != ctx.flow.id and all(choice.id != flow_id for choice in known):
        raise parameter_error(
            "flow",
            "This flow can't be called.",
            "Publish it, and make sure it starts with “Called by another flow”.",
        )
    sample = await ctx.flows.last_response(flow_id) if ctx.flows and wait else None
    ctx.set_action_item({**call_output(None, sample), "test": NOT_CALLED})


call_flow = Action(
    key=CALL_FLOW_ACTION,
    name="Call a flow",
    description="Runs another flow with your data and continues with its response.",
    parks=True,
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        dropdown(
            "flow",
            "Flow",
            source="listCallableFlows",
            required=True,
            description="Published flows with the trigger “Called by another flow”.",
        ),
        *data_arguments("Data for the flow", "The output of its trigger."),
        dropdown(
            "wait",
            "Wait for the response",
            YES_NO,
            value=True,
            description="Yes: this run continues when the called run finishes, and fails if it fails. No: "
            "this run continues immediately.",
        ),
    ),
    run=run,
)
