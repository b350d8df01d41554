"""OpenAI, language models. API: version 1, with an API key."""

from patchbay.integration import App, bearer

from .actions import check_moderation, send_chat_prompt, send_prompt
from .auth import auth
from .dynamic_data import list_models

app = App(
    name="OpenAI",
    key="openai",
    supports_connections=True,
    base_url="https://openai.com",
    api_base_url="https://api.openai.com",
    primary_color="#000000",
    description="Send prompts to OpenAI's models, and check text for harmful content.",
    category="AI",
    keywords=("chatgpt", "gpt", "llm"),
    auth=auth,
    before_request=[bearer()],
    actions=[check_moderation, send_chat_prompt, send_prompt],
    dynamic_data=[list_models],
)
