"""Sentences for input that can't be read: a text that isn't JSON, and a document of the wrong shape.

The libraries' own messages are written for programmers.
"""

import json
from collections.abc import Mapping
from typing import Any

REQUIRED = "This field is required."
WRONG_TYPE = "This must be "
"""How a sentence about a value of the wrong type begins."""

_JSON_PROBLEMS = {
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Illegal trailing comma before end of object": "there is a comma after the last entry",
    "Illegal trailing comma before end of array": "there is a comma after the last entry",
    "Expecting value": "a value is missing",
    "Unterminated string starting at": "a closing quote is missing",
    "Extra data": "there is text after the end of the document",
    "Invalid control character at": "a string contains a line break or another control character",
    "Invalid \\escape": "a backslash isn't followed by a valid character",
    "Invalid \\uXXXX escape": "\\u isn't followed by four hexadecimal digits",
}
_TYPES = {
    "string": "text in quotes",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "number": "a number",
    "dict": "an object",
    "model": "an object",
    "mapping": "an object",
    "list": "a list",
    "tuple": "a list",
}


def json_problem(error: ValueError) -> str:
    """Why a text isn't JSON, and where: the end of a sentence, without its full stop."""
    if isinstance(error, UnicodeDecodeError):
        return "it isn't a text in UTF-8"
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    if not error.doc.strip():
        return "it is empty"
    reason = _JSON_PROBLEMS.get(error.msg.rstrip(": "), "it can't be read")
    return f"{reason} at line {error.lineno}, column {error.colno}"


def shape_problem(problem: Mapping[str, Any]) -> str:
    """What is wrong with a value, from an entry of a validation error: a sentence."""
    kind, context = str(problem["type"]), problem.get("ctx") or {}
    if kind == "missing":
        return REQUIRED
    if kind in ("enum", "literal_error"):
        return f"Use one of {str(context.get('expected', '')).replace(chr(39), '').replace(' or ', ', ')}."
    if kind == "string_too_short":
        return "This field can't be empty." if context.get("min_length") == 1 else _own_sentence(problem)
    expected = _TYPES.get(kind.removesuffix("_type").removesuffix("_parsing").removesuffix("_attributes"))
    if kind.endswith(("_type", "_parsing")) and expected:
        return f"{WRONG_TYPE}{expected}."
    return _own_sentence(problem)


def _own_sentence(problem: Mapping[str, Any]) -> str:
    """The message of a check of our own, or else the library's."""
    text = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    return text.replace("Input should be", "This must be") + "."


def place_of(problem: Mapping[str, Any], document: str) -> str:
    """Where in a document a value is: “steps → 2 → type”; for the document itself, its name."""
    parts = [str(part + 1) if isinstance(part, int) else str(part) for part in problem["loc"]]
    return " → ".join(parts) or document
