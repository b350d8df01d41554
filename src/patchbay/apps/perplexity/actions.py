"""Actions."""

from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import YES_NO, Action, Context, OnInterrupted, dropdown
from patchbay.integration.builders import read_result
from patchbay.integration.chat_completions import (
    FREQUENCY_PENALTY,
    MAX_TOKENS,
    PRESENCE_PENALTY,
    RESPONSE_SECONDS,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    chat_messages,
    messages_argument,
)
from patchbay.integration.described_requests import values_of
from patchbay.integration.templates import fill_object
from patchbay.integration.values import text_of

_SONAR = "perplexity/sonar"
_PRESETS = {"sonar": "fast", "sonar-pro": "low"}
"""What replaced the models of the Sonar API: one model, with a preset for how thoroughly it searches."""
_SETTINGS = (TEMPERATURE, MAX_TOKENS.but(sent_as="max_output_tokens"), TOP_P)
_UNUSED = "Perplexity no longer supports this, so it isn't sent."


def _model(name: str) -> JsonObject:
    """The model and how it searches. A preset includes the search."""
    if preset := _PRESETS.get(name):
        return {"model": _SONAR, "preset": preset}
    return {"model": name, "tools": [{"type": "web_search"}]}


def _with_text_and_sources(response: dict[str, Any]) -> dict[str, Json]:
    """The response, with text and sources also where the Sonar API had them, which flows refer to."""
    found = [item for item in response.get("output", ()) if isinstance(item, dict)]
    parts = [part for item in found if item.get("type") == "message" for part in item.get("content") or ()]
    content = "".join(part["text"] for part in parts if part.get("type") == "output_text")
    listed = [item.get("results") or () for item in found if item.get("type") == "search_results"]
    sources = [source for results in listed for source in results]
    return {
        **response,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}}],
        "citations": [source["url"] for source in sources if source.get("url")],
        "search_results": sources,
    }


async def _send(ctx: Context) -> None:
    settings = {setting.sent_as: setting.template for setting in _SETTINGS}
    body: JsonObject = {
        **_model(text_of(ctx.parameters, "model").strip()),
        "input": chat_messages(ctx.parameters),
        **fill_object(settings, values_of(ctx)),
    }
    result = read_result(await ctx.http.post("/v1/agent", json=body, seconds=RESPONSE_SECONDS))
    ctx.set_action_item(_with_text_and_sources(result) if isinstance(result, dict) else result)


send_chat_prompt = Action(
    key="sendChatPrompt",
    name="Send chat prompt",
    description="Sends a conversation to a model that searches the web. Outputs its response with sources.",
    arguments=(
        dropdown(
            "model",
            "Model",
            (("sonar-pro", "Sonar, thorough search"), ("sonar", "Sonar, fast search")),
            required=True,
            variables=True,
            description="You can also enter the ID of another model, such as openai/gpt-5.1.",
        ),
        messages_argument(),
        *(setting.argument for setting in _SETTINGS),
        *(
            setting.but(description=_UNUSED).argument
            for setting in (TOP_K, FREQUENCY_PENALTY, PRESENCE_PENALTY)
        ),
        dropdown("returnImages", "Return images", YES_NO, value=False, variables=True, description=_UNUSED),
        dropdown(
            "returnRelatedQuestions",
            "Return related questions",
            YES_NO,
            value=False,
            variables=True,
            description=_UNUSED,
        ),
    ),
    run=_send,
    on_interrupted=OnInterrupted.REPEAT,
)
