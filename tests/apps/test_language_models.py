"""What the apps of language models do besides the contract of the catalogue."""

import pytest

from patchbay.domain.base import AppKey, Json, JsonObject
from patchbay.integration.registry import BUILT_IN, load_app
from patchbay.integration.trial import Trial

HELLO: list[Json] = [{"role": "user", "content": "Hello"}]
REPLY: JsonObject = {"choices": []}


@pytest.mark.parametrize("address", ["http://localhost:11434", "http://localhost:11434/v1/"])
async def test_a_self_hosted_model_is_used_without_a_key(address: str):
    app = load_app(AppKey("self-hosted-llm"), BUILT_IN)
    trial = Trial(app, {"screenName": "Ollama", "apiUrl": address, "apiKey": ""}, otherwise=(200, REPLY))

    await trial.action("sendChatPrompt", model="small-1", messages=HELLO)

    assert trial.requests[0].path == "/v1/chat/completions"
    assert "authorization" not in trial.requests[0].headers


async def test_azure_chats_with_the_deployment_of_the_connection():
    app = load_app(AppKey("azure-openai"), BUILT_IN)
    data = {
        "screenName": "A",
        "yourResourceName": "acme",
        "deploymentId": "chat-1",
        "apiKey": "key-0123456789",
    }
    trial = Trial(app, data, otherwise=(200, REPLY))

    await trial.action("sendChatPrompt", messages=HELLO, maxTokens="50")

    sent = trial.requests[0]
    assert (sent.host, sent.path) == ("acme.openai.azure.com", "/openai/v1/chat/completions")
    assert sent.json == {"model": "chat-1", "messages": HELLO, "max_completion_tokens": 50}
    assert sent.headers["api-key"] == "key-0123456789"


async def test_models_that_make_no_text_are_not_listed():
    app = load_app(AppKey("together-ai"), BUILT_IN)
    models = [{"id": "a", "type": "chat"}, {"id": "b", "type": "image"}, {"id": "c"}]
    trial = Trial(app, {"apiKey": "key-0123456789"}, {"GET /v1/models": (200, models)})

    assert [option.value for option in await trial.options("listModels")] == ["a", "c"]
