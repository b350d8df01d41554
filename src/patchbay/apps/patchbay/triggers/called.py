"""The trigger “Called by another flow”."""

from patchbay.domain.flow_calls import CALLED_TRIGGER
from patchbay.integration import Context, Trigger, TriggerKind, text

from ..data import parse_json


async def run(ctx: Context) -> None:
    """The test item: the example, or the data of the most recent call."""
    item = parse_json(ctx.parameters, "example")
    if item is None and ctx.flows is not None:
        item = await ctx.flows.last_call(ctx.flow.id)
    ctx.push_trigger_item({} if item is None else item)


called = Trigger(
    key=CALLED_TRIGGER,
    name="Called by another flow",
    description="Starts when another flow calls this one, with the data from that flow.",
    kind=TriggerKind.EVENT,
    supports_connections=False,
    arguments=(
        text(
            "expects",
            "Expected data",
            variables=False,
            multiline=True,
            description="A note for people who call this flow.",
        ),
        text(
            "example",
            "Example",
            variables=False,
            multiline=True,
            value_type="parse",
            placeholder='{"name": "Ada", "total": 120}',
            description="JSON data for testing the steps. If empty, the most recent call is used.",
        ),
    ),
    run=run,
)
