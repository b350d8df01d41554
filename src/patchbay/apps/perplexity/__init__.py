"""Perplexity, language models that search the web. API: Agent API, version 1, with an API key."""

from patchbay.integration import App, bearer, error_at

from .actions import send_chat_prompt
from .auth import auth

app = App(
    name="Perplexity",
    key="perplexity",
    supports_connections=True,
    base_url="https://perplexity.ai",
    api_base_url="https://api.perplexity.ai",
    primary_color="#091717",
    description="Send prompts to language models that search the web and cite their sources.",
    category="AI",
    keywords=("llm", "answers", "web search"),
    auth=auth,
    before_request=[bearer()],
    error_in_response=error_at(
        "error.message",
        failed=lambda body: isinstance(body, dict) and body.get("status") in ("failed", "cancelled"),
    ),
    actions=[send_chat_prompt],
)
