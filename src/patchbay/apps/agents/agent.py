"""Agent definitions: reads them from the parameters of a step, and finds those of other flows."""

from dataclasses import dataclass, replace
from decimal import Decimal

from patchbay.domain.base import AppKey, FlowId, JsonObject
from patchbay.domain.errors import NotFound
from patchbay.domain.flow_calls import FlowDirectory, PublishedStep
from patchbay.domain.tools import MCP_APP, MCP_TRIGGER, Tool, named_tools, read_tool
from patchbay.integration import Context
from patchbay.integration.values import as_number, parameter_error, text_of

APP_KEY = AppKey("agents")
ACTION_KEY = "runAgent"
OWN_AGENT = "own"
"""Value of `agentId` for the agent that is defined in the step itself."""
COMPATIBLE_APP = "self-hosted-llm"
"""The app whose connections lead to servers with OpenAI's API."""

MAX_ROUNDS, MAX_ROUNDS_ALLOWED = 10, 50
MAX_TOKENS, MAX_TOKENS_ALLOWED = 50_000, 2_000_000
MAX_TOOLS = 50


@dataclass(frozen=True)
class Agent:
    """An agent: a model, its instructions, the flows that it may call, and its limits."""

    model: str
    instructions: str
    tool_flows: tuple[FlowId, ...]
    max_rounds: int
    max_tokens: int
    defined_in: FlowId | None = None
    """The flow that defines it, if that is another one."""


def agent_id(step: PublishedStep) -> str:
    """The value of `agentId` for the agent that is defined in a step of another flow."""
    return f"{step.flow_id}/{step.step_id}"


async def find_agent(ctx: Context) -> Agent:
    """The agent of the step: its own, or that of another published flow of the same owner.

    Raises `NotFound` if that step doesn't exist any longer, and `ValidationFailed` for an invalid agent.
    """
    chosen = text_of(ctx.parameters, "agentId").strip()
    if chosen == OWN_AGENT:
        return read_agent(ctx.parameters)
    flow_id = FlowId(chosen.partition("/")[0])
    steps = await ctx.flows.published_steps(APP_KEY, ACTION_KEY, flow_id) if ctx.flows else ()
    for step in steps:
        if agent_id(step) == chosen and step.parameters.get("agentId") == OWN_AGENT:
            return replace(read_agent(step.parameters), defined_in=flow_id)
    raise NotFound(
        "This agent doesn't exist.",
        meaning="The flow that defines it was unpublished or changed, or the agent wasn't imported.",
        todo="Choose another agent, or define one in this step.",
    )


def read_agent(parameters: JsonObject) -> Agent:
    """The agent that is defined by these parameters of a step. Raises `ValidationFailed`."""
    model = text_of(parameters, "model").strip()
    if not model:
        raise parameter_error("model", "The agent has no model.", "Choose a model.")
    rows = parameters.get("tools")
    flows = [
        text_of(row, "flow").strip()
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    ]
    tool_flows = tuple(FlowId(flow_id) for flow_id in dict.fromkeys(filter(None, flows)))
    if len(tool_flows) > MAX_TOOLS:
        raise parameter_error("tools", f"An agent can have at most {MAX_TOOLS} tools.", "Remove some.")
    return Agent(
        model=model,
        instructions=text_of(parameters, "instructions").strip(),
        tool_flows=tool_flows,
        max_rounds=_limit(parameters, "maxRounds", "Max. rounds", MAX_ROUNDS, MAX_ROUNDS_ALLOWED),
        max_tokens=_limit(parameters, "maxTokens", "Max. tokens", MAX_TOKENS, MAX_TOKENS_ALLOWED),
    )


async def find_tools(ctx: Context, agent: Agent) -> dict[str, Tool]:
    """The tools of an agent, by unique names. Raises `NotFound` for a flow that isn't a published tool.

    An agent that another flow defines has only tools that both flows may call: using it gives its author no
    access to more flows.
    """
    known = await _callable_tools(ctx.flows)
    if agent.defined_in is not None and ctx.flows is not None:
        allowed = await _callable_tools(ctx.flows.visible_to(agent.defined_in))
        known = {flow_id: step for flow_id, step in known.items() if flow_id in allowed}
    tools = []
    for flow_id in agent.tool_flows:
        if (step := known.get(flow_id)) is None:
            raise NotFound(
                "A tool of the agent doesn't exist.",
                meaning="Its flow was unpublished or deleted, or doesn't start with “MCP tool”.",
                todo="Publish it, or remove the tool from the agent.",
            )
        tool = read_tool(flow_id, step.parameters)
        if tool.problem:
            raise parameter_error("tools", f"The tool “{tool.name}” can't be called: {tool.problem}")
        tools.append(tool)
    return named_tools(tools)


async def _callable_tools(flows: FlowDirectory | None) -> dict[FlowId, PublishedStep]:
    published = await flows.published_steps(MCP_APP, MCP_TRIGGER) if flows else ()
    return {step.flow_id: step for step in published}


def _limit(parameters: JsonObject, key: str, label: str, default: int, most: int) -> int:
    if not text_of(parameters, key).strip():
        return default
    number = as_number(parameters.get(key))
    if number is None or number != Decimal(int(number)) or not 1 <= number <= most:
        raise parameter_error(key, f"{label}: use a whole number from 1 to {most:,}.")
    return int(number)
