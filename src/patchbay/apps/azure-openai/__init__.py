"""Azure OpenAI, OpenAI's models in Azure. API: version 2024-10-21 and the v1 API for chats, with a key."""

from patchbay.integration import App, header_key

from .actions import send_chat_prompt, send_prompt
from .auth import auth

app = App(
    name="Azure OpenAI",
    key="azure-openai",
    supports_connections=True,
    base_url="https://azure.microsoft.com/en-us/products/ai-services/openai-service",
    api_base_url="https://{auth.yourResourceName}.openai.azure.com",
    primary_color="#000000",
    description="Send prompts to OpenAI's models in your Azure resource.",
    category="AI",
    keywords=("chatgpt", "gpt", "llm", "microsoft"),
    auth=auth,
    before_request=[header_key("api-key")],
    actions=[send_chat_prompt, send_prompt],
)
