"""Together AI, open language models. API: version 1, with an API key."""

from patchbay.integration import App, bearer

from .actions import create_chat_completion, create_completion
from .auth import auth
from .dynamic_data import list_models

app = App(
    name="Together AI",
    key="together-ai",
    supports_connections=True,
    base_url="https://together.ai",
    api_base_url="https://api.together.ai",
    primary_color="#000000",
    description="Send prompts to open language models.",
    category="AI",
    keywords=("llm",),
    auth=auth,
    before_request=[bearer()],
    actions=[create_chat_completion, create_completion],
    dynamic_data=[list_models],
)
