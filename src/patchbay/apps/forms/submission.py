"""Submissions: checks what a visitor entered, and converts it to the values that the flow receives."""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of
from patchbay.integration.values import as_bool, as_number, json_number

from .form import PAGE_ID_FIELD, FieldType, Form, FormField

_MAX_DIGITS = 300
"""Max. digits of a number, as in JSON bodies of webhooks."""
_PAGE_ID = re.compile(r"[0-9a-f]{32}")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_PARSERS: dict[FieldType, Callable[[str], object]] = {
    FieldType.DATE: date.fromisoformat,
    FieldType.TIME: time.fromisoformat,
    FieldType.DATE_TIME: datetime.fromisoformat,
}


@dataclass
class Submission:
    """The values of a submission, and what is wrong with them: error messages by field key."""

    values: JsonObject = field(default_factory=dict)
    entered: dict[str, str] = field(default_factory=dict)
    """What was entered, for showing the form again."""
    errors: dict[str, str] = field(default_factory=dict)


def read_submission(form: Form, body: Json) -> Submission:
    """Check a submission. Values of fields that the form doesn't have are dropped."""
    given = body if isinstance(body, dict) else {}
    read = Submission(entered=entered_values(form, given))
    for item in form.fields:
        value, problem = _read_value(item, given.get(item.key), read.entered.get(item.key, ""))
        read.values[item.key] = value
        if problem:
            read.errors[item.key] = problem
    return read


def entered_values(form: Form, given: JsonObject) -> dict[str, str]:
    """The entered text of each field. Of several values with the same name, the first counts.

    A text that is too long is cut to one character more than allowed.
    """
    found = {}
    for item in form.fields:
        value = given.get(item.key)
        if isinstance(value, list):
            value = value[0] if value else None
        if item.type is not FieldType.FILE and isinstance(value, str):
            found[item.key] = _entered_text(item, value)
    return found


def _entered_text(item: FormField, value: str) -> str:
    # A line break counts as one character, but browsers send two.
    if len(value) <= 2 * item.max_length:
        value = value.replace("\r\n", "\n")
        value = value if item.type is FieldType.MULTILINE else value.strip()
    return value[: item.max_length + 1]


async def submission_id(body: Json, values: JsonObject) -> str | None:
    """The ID of a submission; None if its page had none, as for requests that aren't sent by a browser.

    It depends on the values, so a page that is sent again with other values is another submission.
    """
    page_id = body.get(PAGE_ID_FIELD) if isinstance(body, dict) else None
    if not isinstance(page_id, str) or not _PAGE_ID.fullmatch(page_id):
        return None
    if size_of(values, THREAD_THRESHOLD) <= THREAD_THRESHOLD:
        digest = _digest(values)
    else:
        digest = await asyncio.to_thread(_digest, values)
    return f"form:{page_id}:{digest}"


def _digest(values: JsonObject) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


def _read_value(item: FormField, given: Json, text: str) -> tuple[Json, str]:
    """The value of a field, and what is wrong with it; empty if nothing is."""
    if item.type is FieldType.FILE:
        return _read_file(item, given)
    if item.type is FieldType.CHECKBOX:
        is_checked = as_bool(text)
        return is_checked, "Tick this box." if item.is_required and not is_checked else ""
    if len(text) > item.max_length:
        return "", f"This is too long. Enter at most {item.max_length:,} characters."
    if not text.strip():
        missing = (
            f"{'Choose' if item.type is FieldType.DROPDOWN else 'Enter'} a value." if item.is_required else ""
        )
        return None if item.type is FieldType.NUMBER else "", missing
    return _read_number(text) if item.type is FieldType.NUMBER else (text, _text_problem(item, text))


def _read_number(text: str) -> tuple[Json, str]:
    number = as_number(text)
    if number is None:
        return None, "Enter a number."
    if number.adjusted() >= _MAX_DIGITS:
        return None, f"This number is too large. Enter at most {_MAX_DIGITS} digits."
    return json_number(number), ""


def _text_problem(item: FormField, text: str) -> str:
    if item.type is FieldType.EMAIL and not _EMAIL.fullmatch(text):
        return "Enter an email address, such as ada@example.com."
    if item.type is FieldType.DROPDOWN and text not in item.options:
        return "Choose one of the options."
    if (parse := _PARSERS.get(item.type)) is not None:
        try:
            parse(text)
        except ValueError:
            what = {FieldType.DATE: "a date", FieldType.TIME: "a time"}.get(item.type, "a date and time")
            return f"Enter {what}."
    return ""


def _read_file(item: FormField, given: Json) -> tuple[Json, str]:
    if isinstance(given, list):
        given = given[0] if given else None
    if isinstance(given, dict) and {"name", "contentType", "size", "base64"} <= given.keys():
        return given, ""
    return None, "Choose a file." if item.is_required else ""
