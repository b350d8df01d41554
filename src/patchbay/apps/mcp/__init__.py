"""MCP: flows as tools of the MCP server that Patchbay offers to language models and other clients."""

from patchbay.domain.tools import MCP_APP
from patchbay.integration import App

from .actions import respond_with
from .triggers import mcp_tool

app = App(
    name="MCP",
    key=MCP_APP,
    primary_color="#FF6B35",
    description="Offer flows as tools to language models and other clients of the Model Context Protocol.",
    category="Built in",
    keywords=("model context protocol", "tool", "assistant", "language model"),
    triggers=[mcp_tool],
    actions=[respond_with],
)
