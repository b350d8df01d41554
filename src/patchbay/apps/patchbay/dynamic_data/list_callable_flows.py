"""The list of flows that can be called."""

from collections.abc import Sequence

from patchbay.integration import Context, DynamicData, Option


async def load(ctx: Context) -> Sequence[Option]:
    """Published flows that other flows can call."""
    flows = await ctx.flows.callable_flows() if ctx.flows else ()
    return [Option(label=flow.name, value=flow.id) for flow in flows]


list_callable_flows = DynamicData(key="listCallableFlows", load=load)
