"""Actions."""

from patchbay.integration.chat_completions import (
    FREQUENCY_PENALTY,
    MAX_TOKENS,
    PRESENCE_PENALTY,
    STOP_SEQUENCES,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    chat_completion,
    text_completion,
)

_SETTINGS = (TEMPERATURE, MAX_TOKENS, STOP_SEQUENCES, TOP_P, TOP_K, FREQUENCY_PENALTY, PRESENCE_PENALTY)

create_chat_completion = chat_completion(
    key="createChatCompletion", name="Create chat completion", settings=_SETTINGS
)

create_completion = text_completion(key="createCompletion", name="Create completion", settings=_SETTINGS)
