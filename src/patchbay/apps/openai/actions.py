"""Actions."""

from dataclasses import replace

from patchbay.integration import Context, OnInterrupted, request_action, text
from patchbay.integration.chat_completions import (
    OPENAI_CHAT_SETTINGS,
    OPENAI_TEXT_SETTINGS,
    chat_completion,
    send_prompt_as_chat,
    text_completion,
)
from patchbay.integration.values import text_of

_TEXT_MODELS = ("instruct", "babbage", "davinci")
"""Parts of the names of models that have no chat API. All others have no other one."""

check_moderation = request_action(
    key="checkModeration",
    name="Check moderation",
    description="Checks whether a text is harmful, and outputs the categories that it falls into.",
    arguments=(text("input", "Text", required=True, multiline=True),),
    request="POST /v1/moderations",
    output="results.0",
    on_interrupted=OnInterrupted.REPEAT,
)

send_chat_prompt = chat_completion(
    key="sendChatPrompt",
    name="Send chat prompt",
    roles=("system", "user"),
    settings=OPENAI_CHAT_SETTINGS,
)

_continue_text = text_completion(
    key="sendPrompt",
    name="Send prompt",
    description="Sends a single message to a model, and outputs its response.",
    settings=OPENAI_TEXT_SETTINGS,
)


async def _send_prompt(ctx: Context) -> None:
    """Send the prompt with the API that the model has."""
    model = text_of(ctx.parameters, "model")
    if any(part in model for part in _TEXT_MODELS):
        await _continue_text.run(ctx)
        return
    await send_prompt_as_chat(ctx, "POST /v1/chat/completions", OPENAI_CHAT_SETTINGS, {"model": "{model}"})


send_prompt = replace(_continue_text, run=_send_prompt)
