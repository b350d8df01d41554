from patchbay.domain.flow_calls import CALLED_TRIGGER
from patchbay.integration import Context, Trigger, TriggerKind, text

from ..data import parse_json


async def run(ctx: Context) -> None:
    """What a test shows: the example, or what the flow was called with most recently."""
    item = parse_json(ctx.parameters, "example")
    if item is None and ctx.flows is not None:
        item = await ctx.flows.last_call(ctx.flow.id)
    ctx.push_trigger_item({} if item is None else item)


called = Trigger(
    key=CALLED_TRIGGER,
    name="Called by another flow",
    description="Starts when another flow calls this one, with the data it was given.",
    kind=TriggerKind.EVENT,
    supports_connections=False,
    arguments=(
        text(
            "expects", "What it expects", variables=False, multiline=True,
            description="A note for whoever calls this flow.",
        ),
        text(
            "example", "Example", variables=False, multiline=True, value_type="parse",
            placeholder='{"name": "Ada", "total": 120}',
            description="Data as JSON to test the steps with. Without it: its newest call.",
        ),
    ),
    run=run,
)  # fmt: skip
