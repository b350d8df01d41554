"""Actions."""

from patchbay.integration import OnInterrupted, request_action, text
from patchbay.integration.chat_completions import (
    FREQUENCY_PENALTY,
    MAX_TOKENS,
    PRESENCE_PENALTY,
    STOP_SEQUENCE,
    TEMPERATURE,
    TOP_P,
    chat_completion,
    text_completion,
)

_OTHERS = (STOP_SEQUENCE, TOP_P, FREQUENCY_PENALTY, PRESENCE_PENALTY)

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
    settings=(TEMPERATURE, MAX_TOKENS.but(sent_as="max_completion_tokens"), *_OTHERS),
)

send_prompt = text_completion(
    key="sendPrompt",
    name="Send prompt",
    description="Sends a text to a model that continues it, such as gpt-3.5-turbo-instruct. "
    "For all other models, use Send chat prompt.",
    settings=(TEMPERATURE, MAX_TOKENS, *_OTHERS),
)
