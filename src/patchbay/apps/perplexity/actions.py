"""Actions."""

from patchbay.integration import YES_NO, dropdown
from patchbay.integration.chat_completions import (
    FREQUENCY_PENALTY,
    MAX_TOKENS,
    PRESENCE_PENALTY,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    Setting,
    chat_completion,
)

_MODELS = ("sonar-pro", "sonar", "sonar-reasoning-pro", "sonar-deep-research")


def _choice(key: str, label: str, sent_as: str) -> Setting:
    return Setting(dropdown(key, label, YES_NO, value=False, variables=True), sent_as, f"{{{key}:bool}}")


send_chat_prompt = chat_completion(
    key="sendChatPrompt",
    name="Send chat prompt",
    description="Sends a conversation to a model that searches the web. Outputs its response with sources.",
    request="POST /chat/completions",
    model=dropdown("model", "Model", _MODELS, required=True, variables=True),
    settings=(
        TEMPERATURE,
        MAX_TOKENS,
        TOP_P,
        TOP_K,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        _choice("returnImages", "Return images", "return_images"),
        _choice("returnRelatedQuestions", "Return related questions", "return_related_questions"),
    ),
)
