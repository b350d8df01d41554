"""OpenRouter, language models of many vendors. API: version 1, with an API key."""

from patchbay.integration import App, bearer

from .actions import create_chat_completion
from .auth import auth
from .dynamic_data import list_models

app = App(
    name="OpenRouter",
    key="openrouter",
    supports_connections=True,
    base_url="https://openrouter.ai",
    api_base_url="https://openrouter.ai/api",
    primary_color="#71717a",
    description="Send prompts to language models from many providers.",
    category="AI",
    keywords=("llm",),
    auth=auth,
    before_request=[bearer()],
    actions=[create_chat_completion],
    dynamic_data=[list_models],
)
