"""The action “Run agent”."""

from patchbay.integration import Action, Context, dropdown, rows, text
from patchbay.integration.values import parameter_error, text_of

from .agent import (
    ACTION_KEY,
    COMPATIBLE_APP,
    MAX_ROUNDS,
    MAX_ROUNDS_ALLOWED,
    MAX_TOKENS,
    MAX_TOKENS_ALLOWED,
    OWN_AGENT,
    find_agent,
    find_tools,
)
from .conversation import Conversation

_OWN = {"agentId": OWN_AGENT}


async def _run(ctx: Context) -> None:
    """Let the agent work on the prompt; the output is its last response, and the tools it called."""
    agent = await find_agent(ctx)
    prompt = text_of(ctx.parameters, "prompt")
    if not prompt.strip():
        raise parameter_error("prompt", "Enter a prompt.")
    conversation = Conversation(ctx, agent, await find_tools(ctx, agent))
    output = await conversation.run(prompt)
    ctx.set_action_item(
        {"output": output, "toolCalls": conversation.calls, "tokens": conversation.used_tokens}
    )


run_agent = Action(
    key=ACTION_KEY,
    name="Run agent",
    description="Lets a language model work on a task with your flows as tools, and outputs its response.",
    connection_app=COMPATIBLE_APP,
    arguments=(
        dropdown(
            "agentId",
            "Agent",
            source="listAgents",
            required=True,
            value=OWN_AGENT,
            description="An agent that is defined in this step, or in a step of another published flow.",
        ),
        text("prompt", "Prompt", required=True, multiline=True, description="The task of the agent."),
        text(
            "agentName",
            "Name",
            variables=False,
            visible_if=_OWN,
            description="For choosing it in other steps.",
        ),
        dropdown("model", "Model", source="listModels", required=True, variables=True, visible_if=_OWN),
        text(
            "instructions",
            "Instructions",
            multiline=True,
            variables=False,
            visible_if=_OWN,
            description="Who the agent is and how it works. Put what changes with each run into the prompt.",
        ),
        rows(
            "tools",
            "Tools",
            (dropdown("flow", "Flow", source="listTools", required=True),),
            add="Add tool",
            visible_if=_OWN,
            description="Published flows that start with “MCP tool”. The agent decides when to call them.",
        ),
        text(
            "maxRounds",
            "Max. rounds",
            variables=False,
            placeholder=str(MAX_ROUNDS),
            visible_if=_OWN,
            description=f"Responses of the model, up to {MAX_ROUNDS_ALLOWED}. Each can call several tools.",
        ),
        text(
            "maxTokens",
            "Max. tokens",
            variables=False,
            placeholder=str(MAX_TOKENS),
            visible_if=_OWN,
            description=f"Of all rounds together, up to {MAX_TOKENS_ALLOWED:,}.",
        ),
    ),
    run=_run,
)
