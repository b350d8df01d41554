"""Actions."""

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

_SETTINGS = (TEMPERATURE, MAX_TOKENS, STOP_SEQUENCE, TOP_P, FREQUENCY_PENALTY, PRESENCE_PENALTY)

send_chat_prompt = chat_completion(
    key="sendChatPrompt", name="Send chat prompt", roles=("system", "user"), settings=_SETTINGS
)

send_prompt = text_completion(key="sendPrompt", name="Send prompt", settings=_SETTINGS)
