"""Actions."""

from patchbay.integration import OnInterrupted, dropdown, request_action, text

_TEXT = text("text", "Text", required=True, multiline=True)

detect_language = request_action(
    key="detectLanguage",
    name="Detect language",
    description="Finds out the language of a text, and outputs its code and how certain that is.",
    arguments=(_TEXT,),
    request="POST /detect",
    body={"q": "{text:text}"},
    output="0",
    on_interrupted=OnInterrupted.REPEAT,
)

translate_text = request_action(
    key="translateText",
    name="Translate text",
    description="Translates a text. To detect its language, enter auto as the source language.",
    arguments=(
        _TEXT,
        dropdown("sourceLanguage", "Source language", source="listLanguages", required=True, variables=True),
        dropdown("targetLanguage", "Target language", source="listLanguages", required=True, variables=True),
        dropdown("format", "Format", (("text", "Text"), ("html", "HTML")), variables=True),
    ),
    request="POST /translate",
    body={
        "q": "{text:text}",
        "source": "{sourceLanguage}",
        "target": "{targetLanguage}",
        "format": "{format}",
    },
    on_interrupted=OnInterrupted.REPEAT,
)
