"""Mistral AI, language models. API: version 1, with an API key."""

from patchbay.integration import App, bearer

from .actions import create_chat_completion
from .auth import auth
from .dynamic_data import list_models

app = App(
    name="Mistral AI",
    key="mistral-ai",
    supports_connections=True,
    base_url="https://mistral.ai",
    api_base_url="https://api.mistral.ai",
    primary_color="#000000",
    description="Send prompts to Mistral's models.",
    category="AI",
    keywords=("llm",),
    auth=auth,
    before_request=[bearer()],
    actions=[create_chat_completion],
    dynamic_data=[list_models],
)
