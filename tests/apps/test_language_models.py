"""What the apps of language models do besides the contract of the catalogue."""

import pytest

from patchbay.domain.base import AppKey, Json, JsonObject
from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.registry import BUILT_IN, load_app
from patchbay.integration.trial import Trial

HELLO: list[Json] = [{"role": "user", "content": "Hello"}]
REPLY: JsonObject = {"choices": []}
AGENT_REPLY: JsonObject = {
    "status": "completed",
    "output": [
        {"type": "search_results", "results": [{"url": "https://www.example.com/"}, {"title": "Offline"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Hello!"}]},
    ],
}


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


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("sonar", {"model": "perplexity/sonar", "preset": "fast"}),
        ("sonar-pro", {"model": "perplexity/sonar", "preset": "low"}),
        ("openai/gpt-5.1", {"model": "openai/gpt-5.1", "tools": [{"type": "web_search"}]}),
    ],
)
async def test_perplexity_gets_only_what_its_agent_api_knows(model: str, sent: JsonObject):
    trial = Trial(
        load_app(AppKey("perplexity"), BUILT_IN), {"apiKey": "key-0123456789"}, otherwise=(200, AGENT_REPLY)
    )

    output = await trial.action(
        "sendChatPrompt", model=model, messages=HELLO, maxTokens="50", topK="5", returnImages=True
    )

    assert trial.requests[0].json == {**sent, "input": HELLO, "max_output_tokens": 50}
    assert output["choices"][0]["message"]["content"] == "Hello!"
    assert output["citations"] == ["https://www.example.com/"]
    assert output["output"] == AGENT_REPLY["output"]


async def test_a_failure_that_perplexity_sends_with_a_success_status_fails_the_step():
    answer = (200, {"status": "failed", "output": [], "error": {"message": "The model is overloaded."}})
    trial = Trial(load_app(AppKey("perplexity"), BUILT_IN), {"apiKey": "key-0123456789"}, otherwise=answer)

    with pytest.raises(ThirdPartyError, match="overloaded"):
        await trial.action("sendChatPrompt", model="sonar", messages=HELLO)


@pytest.mark.parametrize(("entered", "sent"), [("1.0", None), ("", None), ("0", 0), ("0.5", 0.5)])
async def test_claude_gets_no_temperature_that_is_the_default(entered: str, sent: Json):
    trial = Trial(
        load_app(AppKey("anthropic"), BUILT_IN),
        {"apiKey": "key-0123456789"},
        otherwise=(200, {"content": []}),
    )

    await trial.action("sendMessage", model="m", maxTokens="50", messages=HELLO, temperature=entered)

    assert trial.requests[0].json.get("temperature") == sent


async def test_a_single_prompt_is_sent_with_the_api_that_the_model_has():
    chat: JsonObject = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi!"}}]}
    trial = Trial(load_app(AppKey("openai"), BUILT_IN), {"apiKey": "key-0123456789"}, otherwise=(200, chat))

    output = await trial.action("sendPrompt", model="gpt-5", prompt="Hello", maxTokens="50")

    assert trial.requests[0].path == "/v1/chat/completions"
    assert trial.requests[0].json == {"model": "gpt-5", "messages": HELLO, "max_completion_tokens": 50}
    assert output["choices"][0]["text"] == "Hi!"

    await trial.action("sendPrompt", model="gpt-3.5-turbo-instruct", prompt="Hello", maxTokens="50")

    assert trial.requests[0].path == "/v1/completions"
    assert trial.requests[0].json == {"model": "gpt-3.5-turbo-instruct", "prompt": "Hello", "max_tokens": 50}


async def test_azure_sends_a_prompt_as_a_chat_if_the_deployment_has_no_other_api():
    app = load_app(AppKey("azure-openai"), BUILT_IN)
    data = {
        "screenName": "A",
        "yourResourceName": "acme",
        "deploymentId": "chat-1",
        "apiKey": "key-0123456789",
    }
    rejected = "The completion operation does not work with the specified model, gpt-5."
    chat: JsonObject = {"choices": [{"message": {"role": "assistant", "content": "Hi!"}}]}
    trial = Trial(
        app,
        data,
        {
            "POST /openai/deployments/chat-1/completions": (400, {"error": {"message": rejected}}),
            "POST /openai/v1/chat/completions": (200, chat),
        },
    )

    output = await trial.action("sendPrompt", prompt="Hello", maxTokens="50")

    assert output["choices"][0]["text"] == "Hi!"
    assert trial.requests[1].json == {"model": "chat-1", "messages": HELLO, "max_completion_tokens": 50}


async def test_other_errors_of_azure_are_not_repeated_as_a_chat():
    app = load_app(AppKey("azure-openai"), BUILT_IN)
    data = {
        "screenName": "A",
        "yourResourceName": "acme",
        "deploymentId": "chat-1",
        "apiKey": "key-0123456789",
    }
    trial = Trial(app, data, otherwise=(404, {"error": {"message": "The deployment doesn't exist."}}))

    with pytest.raises(ThirdPartyError, match="doesn't exist"):
        await trial.action("sendPrompt", prompt="Hello")

    assert len(trial.requests) == 1
