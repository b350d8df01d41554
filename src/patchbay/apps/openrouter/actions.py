"""Actions."""

from patchbay.integration.chat_completions import (
    FREQUENCY_PENALTY,
    MAX_TOKENS,
    PRESENCE_PENALTY,
    STOP_SEQUENCES,
    TEMPERATURE,
    TOP_P,
    chat_completion,
)

create_chat_completion = chat_completion(
    key="createChatCompletion",
    name="Create chat completion",
    settings=(TEMPERATURE, MAX_TOKENS, STOP_SEQUENCES, TOP_P, FREQUENCY_PENALTY, PRESENCE_PENALTY),
)
