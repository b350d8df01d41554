"""Actions."""

from dataclasses import replace

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context
from patchbay.integration.chat_completions import (
    OPENAI_CHAT_SETTINGS,
    OPENAI_TEXT_SETTINGS,
    chat_completion,
    send_prompt_as_chat,
    text_completion,
)

_CHAT = "POST /openai/v1/chat/completions"
_CHAT_MODEL = {"model": "{auth.deploymentId}"}
_HAS_CHAT_ONLY = "does not work with the specified model"
"""Part of Azure's message for a deployment whose model can't continue texts, as no current one can."""

send_chat_prompt = chat_completion(
    key="sendChatPrompt",
    name="Send chat prompt",
    description="Sends a conversation to the connection's deployment and outputs its response.",
    request=_CHAT,
    model=None,
    body=_CHAT_MODEL,
    settings=OPENAI_CHAT_SETTINGS,
)

_continue_text = text_completion(
    key="sendPrompt",
    name="Send prompt",
    description="Sends a single message to the connection's deployment, and outputs its response.",
    request="POST /openai/deployments/{auth.deploymentId}/completions",
    query={"api-version": "2024-10-21"},
    model=None,
    settings=OPENAI_TEXT_SETTINGS,
)


async def _send_prompt(ctx: Context) -> None:
    """Send the prompt with the API that the deployment's model has."""
    try:
        await _continue_text.run(ctx)
    except ThirdPartyError as error:
        if _HAS_CHAT_ONLY not in error.said:
            raise
        await send_prompt_as_chat(ctx, _CHAT, OPENAI_CHAT_SETTINGS, _CHAT_MODEL)


send_prompt = replace(_continue_text, run=_send_prompt)
