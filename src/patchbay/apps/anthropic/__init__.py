"""Anthropic, language models. API: version 2023-06-01, with an API key."""

from patchbay.integration import App, Context, RequestConfig, fixed_headers, header_key

from .actions import send_message
from .auth import auth
from .dynamic_data import list_models


def _without_default_temperature(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Models since Opus 4.7 reject requests with a temperature. Older flows have 1, which is the default."""
    if isinstance(config.json, dict) and config.json.get("temperature") == 1:
        config.json = {key: value for key, value in config.json.items() if key != "temperature"}
    return config


app = App(
    name="Anthropic",
    key="anthropic",
    supports_connections=True,
    base_url="https://anthropic.com",
    api_base_url="https://api.anthropic.com",
    primary_color="#181818",
    description="Send messages to Claude.",
    category="AI",
    keywords=("claude", "llm"),
    auth=auth,
    before_request=[
        header_key("x-api-key"),
        fixed_headers({"anthropic-version": "2023-06-01"}),
        _without_default_temperature,
    ],
    actions=[send_message],
    dynamic_data=[list_models],
)
