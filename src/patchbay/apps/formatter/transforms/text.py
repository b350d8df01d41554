"""The table of text transforms: key, label, inputs, function."""

import json
import math
from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import YES_NO, Argument, dropdown, text
from patchbay.integration.values import as_bool, parameter_error, text_of

from ..catalogue import Cost, Now, Transform
from . import coding, find_replace, markup, word_forms

MAX_JSON = 250_000
"""Max. values in parsed JSON; more would slow down storing and displaying them."""
_INPUT = text("input", "Input", required=True, multiline=True)


def parse_stringified_json(given: str) -> Json:
    """Parse JSON. Rejects numbers that JSON can't represent."""
    try:
        parsed: Json = json.loads(given, parse_constant=_raise_not_a_number, parse_float=_float)
    except RecursionError:
        raise parameter_error(
            "input", "The JSON is nested too deeply.", "Use only the part you need."
        ) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise parameter_error("input", f"The text isn't valid JSON ({where}).") from None
    except ValueError:
        raise parameter_error(
            "input", "The JSON contains a number that is too long.", "Write the number as text."
        ) from None
    if _has_too_many_values(parsed):
        raise parameter_error(
            "input", f"The JSON contains more than {MAX_JSON:,} values.", "Use only the part you need."
        )
    return parsed


def _has_too_many_values(value: Json) -> bool:
    count, left = 0, [value]
    while left and count <= MAX_JSON:
        item = left.pop()
        count += 1
        if isinstance(item, (dict, list)):
            left.extend(item.values() if isinstance(item, dict) else item)
    return count > MAX_JSON


def _raise_not_a_number(name: str) -> float:
    raise parameter_error(
        "input", f"The text isn't valid JSON: {name} isn't a JSON number.", "Use null instead."
    )


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError
    return number


def use_default_value(given: str, default: str) -> str:
    """The text, or the default if it's blank."""
    return given if given.strip() else default


def _simple(key: str, label: str, function: Callable[[str], Json], *, cost: Cost = Cost.LINEAR) -> Transform:
    return Transform(
        key, label, lambda given, now: function(text_of(given, "input")), lambda: (_INPUT,), cost
    )


def _replace(given: JsonObject, now: Now) -> str:
    source, find, replacement = (text_of(given, key) for key in ("input", "find", "replace"))
    if not as_bool(given.get("useRegex")):
        return find_replace.replace_text(source, find, replacement)
    return find_replace.replace_pattern(
        source, find, replacement, ignore_case=as_bool(given.get("ignoreCase"))
    )


def _cost_of_replace(given: JsonObject) -> Cost:
    return Cost.UNBOUNDED if as_bool(given.get("useRegex")) else Cost.LINEAR


def _replace_fields() -> tuple[Argument, ...]:
    return (
        _INPUT,
        text("find", "Find", required=True, multiline=True),
        text(
            "replace",
            "Replace with",
            multiline=True,
            description="If the search text is a pattern, $1 inserts its first group.",
        ),
        dropdown(
            "useRegex",
            "Find by pattern",
            YES_NO,
            required=True,
            value=False,
            more_fields="listReplaceRegexOptions",
            description="A regular expression. It times out after 1 second.",
        ),
    )


def _default_fields() -> tuple[Argument, ...]:
    return (
        text("input", "Input", multiline=True),
        text("defaultValue", "Fallback value", required=True, multiline=True),
    )


TEXT = (
    _simple("base64ToString", "Decode base64", coding.base64_to_string),
    _simple("capitalize", "Capitalize", word_forms.capitalize),
    _simple("htmlToMarkdown", "HTML to Markdown", markup.html_to_markdown, cost=Cost.UNBOUNDED),
    _simple("markdownToHtml", "Markdown to HTML", markup.markdown_to_html, cost=Cost.UNBOUNDED),
    Transform("createUuid", "Create UUID", lambda given, now: str(uuid4())),
    _simple("encodeUri", "Encode URL", coding.encode_uri),
    _simple("encodeUriComponent", "Encode URL component", coding.encode_uri_component),
    _simple("extractEmailAddress", "Extract email address", find_replace.extract_email_address),
    _simple("extractNumber", "Extract number", find_replace.extract_number),
    _simple("lowercase", "Lower case", str.lower),
    _simple("parseStringifiedJson", "Parse JSON", parse_stringified_json),
    _simple("pluralize", "Pluralize", word_forms.pluralize),
    Transform("replace", "Replace", _replace, _replace_fields, _cost_of_replace),
    _simple("stringToBase64", "Encode as base64", coding.string_to_base64),
    _simple("trimWhitespace", "Trim whitespace", str.strip),
    Transform(
        "useDefaultValue",
        "Use default value",
        lambda given, now: use_default_value(text_of(given, "input"), text_of(given, "defaultValue")),
        _default_fields,
    ),
)
