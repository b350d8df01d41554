"""Actions."""

from patchbay.integration.chat_completions import CHAT_SETTINGS, chat_completion

create_chat_completion = chat_completion(
    key="createChatCompletion", name="Create chat completion", settings=CHAT_SETTINGS
)
