"""Actions."""

from patchbay.integration import OnInterrupted, dropdown, request_action, text

from .languages import LANGUAGES

translate_text = request_action(
    key="translateText",
    name="Translate text",
    description="Translates a text. DeepL recognizes the language that it's written in.",
    arguments=(
        text("text", "Text", required=True, multiline=True),
        dropdown("targetLanguage", "Target language", LANGUAGES, required=True, variables=True),
    ),
    request="POST /v2/translate",
    body={"text": "{text:text}", "target_lang": "{targetLanguage}"},
    form=True,
    on_interrupted=OnInterrupted.REPEAT,
)
