"""Actions."""

from patchbay.integration.chat_completions import OPENAI_TEXT_SETTINGS, chat_completion, text_completion

send_chat_prompt = chat_completion(
    key="sendChatPrompt",
    name="Send chat prompt",
    roles=("system", "user"),
    settings=OPENAI_TEXT_SETTINGS,
)

send_prompt = text_completion(key="sendPrompt", name="Send prompt", settings=OPENAI_TEXT_SETTINGS)
