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

_OTHERS = (STOP_SEQUENCE, TOP_P, FREQUENCY_PENALTY, PRESENCE_PENALTY)

send_chat_prompt = chat_completion(
    key="sendChatPrompt",
    name="Send chat prompt",
    description="Sends a conversation to the connection's deployment and outputs its response.",
    request="POST /openai/v1/chat/completions",
    model=None,
    body={"model": "{auth.deploymentId}"},
    settings=(TEMPERATURE, MAX_TOKENS.but(sent_as="max_completion_tokens"), *_OTHERS),
)

send_prompt = text_completion(
    key="sendPrompt",
    name="Send prompt",
    description="Sends a text to a deployment that continues texts, such as one of gpt-35-turbo-instruct. "
    "For all other models, use Send chat prompt.",
    request="POST /openai/deployments/{auth.deploymentId}/completions",
    query={"api-version": "2024-10-21"},
    model=None,
    settings=(TEMPERATURE, MAX_TOKENS, *_OTHERS),
)
