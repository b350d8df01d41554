"""The trigger “MCP tool”."""

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.tools import MCP_TRIGGER, read_tool, sample_arguments
from patchbay.integration import Context, Trigger, TriggerKind, text


async def run(ctx: Context) -> None:
    """The test item: arguments that match the schema. Real calls bring their own."""
    tool = read_tool(ctx.flow.id, ctx.parameters)
    if tool.problem:
        raise ValidationFailed({}, happened=tool.problem)
    ctx.push_trigger_item(sample_arguments(tool.input_schema))


mcp_tool = Trigger(
    key=MCP_TRIGGER,
    name="MCP tool",
    description="Starts when a client of the MCP server calls this flow as a tool.",
    kind=TriggerKind.EVENT,
    supports_connections=False,
    arguments=(
        text(
            "toolName",
            "Tool name",
            required=True,
            placeholder="find_order",
            description="Letters, digits, hyphens, and underscores; others are replaced by underscores.",
        ),
        text(
            "toolDescription",
            "Tool description",
            required=True,
            multiline=True,
            placeholder="Finds an order by its number, and returns its status and total.",
            description="Tells the language model what the tool does, and when to use it.",
        ),
        text(
            "inputSchema",
            "Input schema",
            multiline=True,
            placeholder='{"type": "object", "properties": {"number": {"type": "string"}}}',
            description="The arguments of the tool, as a JSON Schema of an object. Empty: no arguments.",
        ),
    ),
    run=run,
)
