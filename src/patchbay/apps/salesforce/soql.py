"""Queries in SOQL, Salesforce's query language, made of names and values that users choose."""

import re

from patchbay.domain.base import JsonObject
from patchbay.integration.values import parameter_error, text_of

MAX_ROWS = 200
"""The most rows that Salesforce returns with all of their fields."""


def name_in(parameters: JsonObject, key: str) -> str:
    """The name of an object or field. Raises `ValidationFailed` for anything else, such as a condition."""
    name = text_of(parameters, key).strip()
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise parameter_error(key, f"“{name[:60]}” isn't the name of an object or field.")
    return name


def quoted(text: str) -> str:
    """The text as a value."""
    return "'" + re.sub(r"([\\'])", r"\\\1", text).replace("\n", r"\n").replace("\r", r"\r") + "'"


def containing(text: str) -> str:
    """The pattern of the values that contain the text. `%` and `_` in it stand for themselves."""
    escaped = quoted(text)[1:-1].replace("%", r"\%").replace("_", r"\_")
    return f"'%{escaped}%'"


def first_record(parameters: JsonObject, condition: str) -> JsonObject:
    """The query for the first record whose field meets the condition."""
    record, field = name_in(parameters, "object"), name_in(parameters, "field")
    return {"q": f"SELECT FIELDS(ALL) FROM {record} WHERE {field} {condition} LIMIT 1"}
