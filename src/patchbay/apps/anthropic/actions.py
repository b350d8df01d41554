"""Actions."""

from patchbay.integration.chat_completions import MAX_TOKENS, STOP_SEQUENCES, TEMPERATURE, chat_completion

send_message = chat_completion(
    key="sendMessage",
    name="Send message",
    description="Sends a conversation to a model and outputs its response. The first message is the user's.",
    request="POST /v1/messages",
    roles=("assistant", "user"),
    settings=(
        MAX_TOKENS.but(required=True),
        TEMPERATURE.but(
            description="From 0 to 1. How varied responses are. Current models have none: leave it empty."
        ),
        STOP_SEQUENCES.but(sent_as="stop_sequences"),
    ),
)
