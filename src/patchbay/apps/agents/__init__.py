"""Agents: language models that work on a task, and call flows as tools. API: OpenAI's chat completions."""

from patchbay.integration import App

from .actions import run_agent
from .dynamic_data import list_agents, list_models, list_tools

app = App(
    name="Agents",
    key="agents",
    primary_color="#6366f1",
    description="Let a language model work on a task, with your flows as its tools.",
    category="AI",
    keywords=("assistant", "language model", "llm", "tool calls"),
    actions=[run_agent],
    dynamic_data=[list_agents, list_models, list_tools],
)
