"""Language models on your own server. API: OpenAI's version 1, as Ollama, vLLM, and llama.cpp have it."""

from patchbay.integration import App, Context, RequestConfig, bearer

from .actions import send_chat_prompt, send_prompt
from .auth import auth
from .dynamic_data import list_models

_VERSION = "/v1"


def _name_version_once(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Servers are documented with /v1 at the end of their address, or without it."""
    if config.base_url.endswith(_VERSION) and config.url.startswith(f"{_VERSION}/"):
        config.url = config.url.removeprefix(_VERSION)
    return config


app = App(
    name="Self-hosted LLM",
    key="self-hosted-llm",
    supports_connections=True,
    base_url="https://ollama.com",
    api_base_url="{auth.apiUrl}",
    primary_color="#000000",
    description="Send prompts to language models on your own server, such as Ollama.",
    category="AI",
    keywords=("ollama", "llama.cpp", "local model", "openai-compatible"),
    auth=auth,
    before_request=[_name_version_once, bearer()],
    actions=[send_chat_prompt, send_prompt],
    dynamic_data=[list_models],
)
