"""The lists of agents, models, and tools."""

from patchbay.domain.tools import MCP_APP, MCP_TRIGGER, read_tool
from patchbay.integration import Context, DynamicData, Option
from patchbay.integration.values import text_of

from .agent import ACTION_KEY, APP_KEY, OWN_AGENT, agent_id
from .conversation import api_address


async def _list_agents(ctx: Context) -> list[Option]:
    options = [Option(label="Defined in this step", value=OWN_AGENT)]
    if ctx.flows is None:
        return options
    for step in await ctx.flows.published_steps(APP_KEY, ACTION_KEY):
        if step.step_id != ctx.step.id and step.parameters.get("agentId") == OWN_AGENT:
            name = text_of(step.parameters, "agentName").strip()
            label = f"{name} ({step.flow_name})" if name else step.flow_name
            options.append(Option(label=label, value=agent_id(step)))
    return options


async def _list_models(ctx: Context) -> list[Option]:
    models = (await ctx.http.get(f"{api_address(ctx)}/models")).json()["data"]
    return [Option(label=model["id"], value=model["id"]) for model in models]


async def _list_tools(ctx: Context) -> list[Option]:
    if ctx.flows is None:
        return []
    tools = [
        (step, read_tool(step.flow_id, step.parameters))
        for step in await ctx.flows.published_steps(MCP_APP, MCP_TRIGGER)
    ]
    return [
        Option(label=f"{tool.name} ({step.flow_name})", value=step.flow_id)
        for step, tool in tools
        if not tool.problem
    ]


list_agents = DynamicData("listAgents", _list_agents)
list_models = DynamicData("listModels", _list_models)
list_tools = DynamicData("listTools", _list_tools)
