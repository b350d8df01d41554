"""Helix, language models and agents, hosted or on your own server. API: version 1, with an API key."""

from patchbay.integration import App, bearer, own_instance

from .actions import new_chat
from .auth import auth

app = App(
    name="Helix",
    key="helix",
    supports_connections=True,
    base_url="https://tryhelix.ai",
    api_base_url="https://app.tryhelix.ai",
    primary_color="#000000",
    description="Chat with language models on your Helix server.",
    category="AI",
    keywords=("llm",),
    auth=auth,
    before_request=[own_instance(), bearer()],
    actions=[new_chat],
)
