"""Perplexity, language models that search the web. API: Sonar, with an API key."""

from patchbay.integration import App, bearer

from .actions import send_chat_prompt
from .auth import auth

app = App(
    name="Perplexity",
    key="perplexity",
    supports_connections=True,
    base_url="https://perplexity.ai",
    api_base_url="https://api.perplexity.ai",
    primary_color="#091717",
    description="Prompt language models that search the web and name their sources.",
    category="AI",
    auth=auth,
    before_request=[bearer()],
    actions=[send_chat_prompt],
)
