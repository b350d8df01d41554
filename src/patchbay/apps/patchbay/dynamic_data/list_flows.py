"""The list of flows whose failures can be watched."""

from collections.abc import Sequence

from patchbay.domain.flow_calls import ANY_FLOW
from patchbay.integration import Context, DynamicData, Option


async def load(ctx: Context) -> Sequence[Option]:
    """“Any flow”, then all flows except the step's own."""
    flows = await ctx.flows.flows() if ctx.flows else ()
    chosen = [Option(label=flow.name, value=flow.id) for flow in flows if flow.id != ctx.flow.id]
    return [Option(label="Any flow", value=ANY_FLOW), *chosen]


list_flows = DynamicData(key="listFlows", load=load)
