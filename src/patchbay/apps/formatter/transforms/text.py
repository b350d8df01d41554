"""The table of text transforms: key, label, inputs, function."""

import json
import math
from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import YES_NO, Argument, dropdown, name_value_rows, text
from patchbay.integration.values import as_bool, number, parameter_error, text_of

from ..catalogue import Cost, Now, Transform
from . import coding, find_replace, hashing, lists, markup, patterns, urls, word_forms

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
    parsed = float(digits)
    if math.isinf(parsed):
        raise ValueError
    return parsed


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


def _hash(given: JsonObject, now: Now) -> str:
    algorithm, encoding = text_of(given, "algorithm"), text_of(given, "encoding")
    return hashing.hash_text(text_of(given, "input"), algorithm, text_of(given, "secret"), encoding)


def _hash_fields() -> tuple[Argument, ...]:
    return (
        _INPUT,
        dropdown("algorithm", "Algorithm", [*hashing.ALGORITHMS.items()], required=True, value="sha256"),
        text(
            "secret", "Secret key", description="With a key, the result is an HMAC, as for signing requests."
        ),
        dropdown("encoding", "Result as", [*hashing.ENCODINGS.items()], required=True, value="hex"),
    )


def _extract(given: JsonObject, now: Now) -> Json:
    return patterns.extract_by_pattern(
        text_of(given, "input"),
        text_of(given, "pattern"),
        ignore_case=as_bool(given.get("ignoreCase")),
        find_all=as_bool(given.get("findAll")),
    )


def _extract_fields() -> tuple[Argument, ...]:
    return (
        _INPUT,
        text(
            "pattern",
            "Pattern",
            required=True,
            placeholder=r"INV-(\d+)",
            description="A regular expression. A group in parentheses extracts only that part.",
        ),
        dropdown(
            "findAll", "Matches", ((False, "First match"), (True, "All matches, as a list")), value=False
        ),
        dropdown("ignoreCase", "Ignore case", YES_NO, value=False),
    )


def _add_parameters(given: JsonObject, now: Now) -> str:
    rows = given.get("parameters")
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return urls.add_parameters(
        text_of(given, "input"), [(text_of(row, "key"), text_of(row, "value")) for row in found]
    )


def _parameter_fields() -> tuple[Argument, ...]:
    return (
        text("input", "URL", required=True),
        name_value_rows("parameters", "Query parameters", add="Add parameter"),
    )


def _truncate(given: JsonObject, now: Now) -> str:
    length = int(number(given, "length", "the length"))
    return lists.truncate_text(text_of(given, "input"), length, text_of(given, "ending"))


def _truncate_fields() -> tuple[Argument, ...]:
    return (_INPUT, text("length", "Max. characters", required=True), text("ending", "Ending", value="…"))


PARSE_JSON = _simple("parseStringifiedJson", "Parse JSON", parse_stringified_json)

TEXT = (
    _simple("base64ToString", "Decode base64", coding.base64_to_string),
    _simple("capitalize", "Capitalise", word_forms.capitalize),
    _simple("htmlToMarkdown", "HTML to Markdown", markup.html_to_markdown, cost=Cost.UNBOUNDED),
    _simple("htmlToText", "HTML to plain text", markup.html_to_text, cost=Cost.UNBOUNDED),
    _simple("markdownToHtml", "Markdown to HTML", markup.markdown_to_html, cost=Cost.UNBOUNDED),
    Transform("createUuid", "Create UUID", lambda given, now: str(uuid4())),
    _simple("decodeUriComponent", "Decode URL component", urls.decode_uri_component),
    _simple("encodeUri", "Encode URL", coding.encode_uri),
    _simple("encodeUriComponent", "Encode URL component", coding.encode_uri_component),
    _simple("extractEmailAddress", "Extract email address", find_replace.extract_email_address),
    _simple("extractNumber", "Extract number", find_replace.extract_number),
    _simple("extractUrl", "Extract URL", urls.extract_url),
    Transform("extractByPattern", "Extract by pattern", _extract, _extract_fields, Cost.UNBOUNDED),
    Transform("hash", "Hash", _hash, _hash_fields),
    _simple("lowercase", "Lower case", str.lower),
    PARSE_JSON,
    _simple("parseUrl", "Parse URL", urls.parse_url),
    Transform("addUrlParameters", "Add parameters to URL", _add_parameters, _parameter_fields),
    _simple("pluralize", "Pluralise", word_forms.pluralize),
    Transform("replace", "Replace", _replace, _replace_fields, _cost_of_replace),
    _simple("stringToBase64", "Encode as base64", coding.string_to_base64),
    _simple("trimWhitespace", "Trim whitespace", str.strip),
    Transform("truncate", "Truncate", _truncate, _truncate_fields),
    _simple("uppercase", "Upper case", str.upper),
    Transform(
        "useDefaultValue",
        "Use default value",
        lambda given, now: use_default_value(text_of(given, "input"), text_of(given, "defaultValue")),
        _default_fields,
    ),
)
