"""The table of text transforms: key, label, inputs, function."""

import json
from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import YES_NO, Argument, dropdown, text
from patchbay.integration.values import flag, refuse, text_of

from ..catalogue import Now, Transform
from . import coding, finding, markup, words

_INPUT = text("input", "Input", required=True, multiline=True)


def parse_stringified_json(given: str) -> Json:
    """The value a JSON text stands for."""
    try:
        parsed: Json = json.loads(given)
    except (ValueError, RecursionError) as error:
        where = (
            f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        )
        raise refuse("input", f"The text is not JSON{where}.") from None
    return parsed


def use_default_value(given: str, default: str) -> str:
    """The text, or the default when the text is blank."""
    return given if given.strip() else default


def _of_input(function: Callable[[str], Json]) -> Callable[[JsonObject, Now], Json]:
    return lambda given, now: function(text_of(given, "input"))


def _simple(key: str, label: str, function: Callable[[str], Json], *, slow: bool = False) -> Transform:
    return Transform(key, label, _of_input(function), lambda: (_INPUT,), slow)


def _replace(given: JsonObject, now: Now) -> str:
    source, find, replacement = (text_of(given, key) for key in ("input", "find", "replace"))
    if not flag(given.get("useRegex")):
        return finding.replace_text(source, find, replacement)
    return finding.replace_pattern(source, find, replacement, ignore_case=flag(given.get("ignoreCase")))


def _replace_fields() -> tuple[Argument, ...]:
    return (
        _INPUT,
        text("find", "Find", required=True, multiline=True),
        text(
            "replace",
            "Replace with",
            multiline=True,
            description="In patterns $1 stands for the first group.",
        ),
        dropdown(
            "useRegex",
            "Find by pattern",
            YES_NO,
            required=True,
            value=False,
            more_fields="listReplaceRegexOptions",
            description="A regular expression. It gets one second.",
        ),
    )


def _default_fields() -> tuple[Argument, ...]:
    return (
        text("input", "Input", multiline=True),
        text("defaultValue", "Value when the input is empty", required=True, multiline=True),
    )


TEXT = (
    _simple("base64ToString", "Base64 to text", coding.base64_to_string),
    _simple("capitalize", "Capitalize", words.capitalize),
    _simple("htmlToMarkdown", "HTML to Markdown", markup.html_to_markdown, slow=True),
    _simple("markdownToHtml", "Markdown to HTML", markup.markdown_to_html, slow=True),
    Transform("createUuid", "Create UUID", lambda given, now: str(uuid4())),
    _simple("encodeUri", "Encode address", coding.encode_uri),
    _simple("encodeUriComponent", "Encode part of an address", coding.encode_uri_component),
    _simple("extractEmailAddress", "Extract e-mail address", finding.extract_email_address),
    _simple("extractNumber", "Extract number", finding.extract_number),
    _simple("lowercase", "Lower case", str.lower),
    _simple("parseStringifiedJson", "Read JSON", parse_stringified_json),
    _simple("pluralize", "Pluralize", words.pluralize),
    Transform("replace", "Replace", _replace, _replace_fields, slow=True),
    _simple("stringToBase64", "Text to base64", coding.string_to_base64),
    _simple("trimWhitespace", "Trim whitespace", str.strip),
    Transform(
        "useDefaultValue",
        "Use default value",
        lambda given, now: use_default_value(text_of(given, "input"), text_of(given, "defaultValue")),
        _default_fields,
    ),
)
