"""Anthropic, language models. API: version 2023-06-01, with an API key."""

from patchbay.integration import App, fixed_headers, header_key

from .actions import send_message
from .auth import auth
from .dynamic_data import list_models

app = App(
    name="Anthropic",
    key="anthropic",
    supports_connections=True,
    base_url="https://anthropic.com",
    api_base_url="https://api.anthropic.com",
    primary_color="#181818",
    description="Send messages to Claude.",
    category="AI",
    auth=auth,
    before_request=[header_key("x-api-key"), fixed_headers({"anthropic-version": "2023-06-01"})],
    actions=[send_message],
    dynamic_data=[list_models],
)
