"""Actions that wait for the person at this computer: notifications with buttons, and forms."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.clock import DAY_MS, MINUTE_MS
from patchbay.domain.desktop import (
    MAX_BUTTONS,
    MAX_FIELDS,
    MAX_FLOW_NAME_LENGTH,
    MAX_OPTIONS,
    MAX_TEXT_LENGTH,
    MAX_TITLE_LENGTH,
    DesktopForm,
    DesktopFormField,
    FieldKind,
    Notification,
)
from patchbay.domain.engine_store import KeyPass
from patchbay.domain.errors import AppError
from patchbay.domain.row_output import MAX_KEY_LENGTH, key_from_label
from patchbay.integration import YES_NO, Action, Context, OnInterrupted, TimeLimit, dropdown, rows, text
from patchbay.integration.values import as_bool, count, parameter_error, text_of

MAX_MINUTES = 1_380
"""23 hours, so that it stays below the longest timeout of a step."""
_DEFAULT_MINUTES = 60
_MAX_LABEL_LENGTH = 40
_SHOWN = 60
_KEY = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_REORDERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that let a text read differently from what it is, as `exe.png` for `gnp.exe`."""
_KINDS = (
    (FieldKind.TEXT, "Text"),
    (FieldKind.NUMBER, "Number"),
    (FieldKind.CHOICE, "Choice from a list"),
    (FieldKind.YES_NO, "Yes or no"),
)

T = TypeVar("T")


async def run_notification(ctx: Context) -> None:
    """Show a notification, and wait for a button if it has any."""
    labels = _lines(ctx.parameters, "buttons")
    if len(labels) > MAX_BUTTONS:
        raise parameter_error("buttons", f"A notification can have at most {MAX_BUTTONS} buttons.")
    if long := next((label for label in labels if len(label) > _MAX_LABEL_LENGTH), None):
        message = f"“{long[:_SHOWN]}” is longer than {_MAX_LABEL_LENGTH} characters."
        raise parameter_error("buttons", message, "Use a shorter label.")
    body = _shortened(ctx, "text", MAX_TEXT_LENGTH)
    shown = Notification(_title(ctx), body, labels, await _flow_name(ctx))
    if not labels:
        await ctx.desktop.show_notification(shown)
        ctx.set_action_item({"status": "shown", "choice": ""})
        return
    timed_out, chosen = await _wait(ctx, partial(ctx.desktop.show_notification, shown))
    status = "timedOut" if timed_out else "closed" if chosen is None else "chosen"
    ctx.set_action_item({"status": status, "choice": chosen or ""})


async def run_ask(ctx: Context) -> None:
    """Show a form, and output what the person enters."""
    form = DesktopForm(
        title=_title(ctx),
        text=_shortened(ctx, "text", MAX_TEXT_LENGTH),
        fields=read_fields(ctx.parameters),
        submit_label=_one_line(text_of(ctx.parameters, "submitLabel"))[:_MAX_LABEL_LENGTH],
        flow_name=await _flow_name(ctx),
    )
    timed_out, values = await _wait(ctx, partial(ctx.desktop.show_form, form))
    if values is None and not timed_out and text_of(ctx.parameters, "onClosed") != "continue":
        raise AppError(
            "The form was cancelled.",
            meaning="Nothing was entered, so the flow stopped here.",
            todo="Retry the execution to show it again, or let the step continue when the form is cancelled.",
        )
    status = "timedOut" if timed_out else "closed" if values is None else "submitted"
    empty: JsonObject = {field.key: None for field in form.fields}
    ctx.set_action_item({"status": status, "values": values or empty})


async def _wait(ctx: Context, ask: Callable[[], Awaitable[T]]) -> tuple[bool, T | None]:
    """Whether the time limit passed, and what the person chose. The time counts from the first attempt.

    If Patchbay is restarted meanwhile, the step runs again and waits for the rest of the time.
    """
    minutes = count(ctx.parameters, "minutes", "Time limit", default=_DEFAULT_MINUTES, most=MAX_MINUTES)
    limit_ms = minutes * MINUTE_MS
    result, left_ms = None, await _first_attempt_at(ctx, limit_ms) + limit_ms - ctx.now
    timed_out = left_ms <= 0
    try:
        async with asyncio.timeout(left_ms / 1000) as limit:
            result = None if timed_out else await ask()
    except TimeoutError:
        if not limit.expired():
            raise
        timed_out = True
    if timed_out and text_of(ctx.parameters, "onTimeout") == "fail":
        raise AppError(
            f"There was no response within {minutes:,} minutes.",
            meaning="The notification or form was closed.",
            todo="Retry the execution to show it again, or raise the time limit.",
        )
    return timed_out, result


async def _first_attempt_at(ctx: Context, limit_ms: int) -> EpochMs:
    """When the step asked for the first time. It is kept beyond the time limit."""
    place = f"desktop/{ctx.execution.id}/{ctx.idempotency_key}"
    began = await ctx.datastore.key_passed_at(place)
    if began is None:
        began = ctx.now
        asked = KeyPass(key=place, passed_by=place, at=began, period_ms=limit_ms + DAY_MS)
        await ctx.datastore.pass_key(asked)
    return began


def read_fields(parameters: JsonObject) -> tuple[DesktopFormField, ...]:
    """The fields of the form. Raises `ValidationFailed` if they are invalid."""
    given = parameters.get("fields")
    entered = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
    if not entered:
        raise parameter_error("fields", "The form has no fields.", "Add a field.")
    if len(entered) > MAX_FIELDS:
        raise parameter_error("fields", f"A form can have at most {MAX_FIELDS} fields.", "Remove some.")
    fields = tuple(_read_field(row, number) for number, row in enumerate(entered, 1))
    keys = [field.key for field in fields]
    if repeated := next((key for key in keys if keys.count(key) > 1), None):
        message = f"Two fields have the key “{repeated}”."
        raise parameter_error("fields", message, "Enter another key in one of them.")
    return fields


def _read_field(row: JsonObject, number: int) -> DesktopFormField:
    label = _one_line(text_of(row, "label"))[:MAX_TITLE_LENGTH]
    if not label:
        raise parameter_error("fields", f"Field {number} has no label.", "Enter a label.")
    key = text_of(row, "key").strip() or key_from_label(label, number)
    if not _KEY.fullmatch(key) or len(key) > MAX_KEY_LENGTH:
        message = f"“{key[:_SHOWN]}” isn't a valid key."
        raise parameter_error("fields", message, "Use letters, digits, hyphens, and underscores.")
    try:
        kind = FieldKind(text_of(row, "type") or FieldKind.TEXT)
    except ValueError:
        message = f"“{label[:_SHOWN]}” has an unknown type."
        raise parameter_error("fields", message, "Choose one from the list.") from None
    options = _lines(row, "options") if kind is FieldKind.CHOICE else ()
    if kind is FieldKind.CHOICE and not 0 < len(options) <= MAX_OPTIONS:
        message = f"“{label[:_SHOWN]}” needs between 1 and {MAX_OPTIONS} options."
        raise parameter_error("fields", message, "Enter one option per line.")
    value = text_of(row, "value")
    if kind is FieldKind.YES_NO:
        value = "yes" if as_bool(row.get("value")) or value.strip().lower() == "yes" else ""
    return DesktopFormField(
        key=key,
        label=label,
        kind=kind,
        is_required=as_bool(row.get("required")) and kind is not FieldKind.YES_NO,
        help=_one_line(text_of(row, "help"))[:MAX_TITLE_LENGTH],
        options=tuple(option[:MAX_TITLE_LENGTH] for option in options),
        value=_plain(value)[:MAX_TEXT_LENGTH],
    )


def _lines(parameters: JsonObject, key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_one_line, text_of(parameters, key).splitlines()))))


def _title(ctx: Context) -> str:
    title = _one_line(text_of(ctx.parameters, "title"))[:MAX_TITLE_LENGTH]
    if not title:
        raise parameter_error("title", "The title is empty.", "Enter a title.")
    return title


def _shortened(ctx: Context, key: str, most: int) -> str:
    return _plain(text_of(ctx.parameters, key)).strip()[:most]


async def _flow_name(ctx: Context) -> str:
    return _one_line(await ctx.flow.name())[:MAX_FLOW_NAME_LENGTH]


def _plain(text: str) -> str:
    """A text of a flow that reads as it is, in its lines."""
    return _CONTROL.sub(" ", _REORDERING.sub("", text))


def _one_line(text: str) -> str:
    return " ".join(_plain(text).split())


_TITLE = text("title", "Title", required=True)
_MINUTES = text(
    "minutes",
    "Time limit in minutes",
    value=str(_DEFAULT_MINUTES),
    variables=False,
    description=f"Up to {MAX_MINUTES:,}. The time limit continues if Patchbay is restarted.",
)
_TIME_LIMIT = TimeLimit(argument="minutes", default=_DEFAULT_MINUTES, most=MAX_MINUTES, unit_seconds=60)
_ON_TIMEOUT = dropdown(
    "onTimeout",
    "After the time limit",
    (("continue", "Continue, with the status timedOut"), ("fail", "Fail")),
    value="continue",
)
_ON_CLOSED = dropdown(
    "onClosed",
    "If the form is cancelled",
    (("fail", "Fail"), ("continue", "Continue, with the status closed")),
    value="fail",
)
_FIELDS = (
    text("label", "Label", required=True),
    dropdown("type", "Type", _KINDS, required=True, value=FieldKind.TEXT),
    text("options", "Choices, one per line", multiline=True, visible_if={"type": FieldKind.CHOICE}),
    text("value", "Entered at first"),
    dropdown("required", "Required", YES_NO, value=False),
    text("help", "Help text"),
    text(
        "key",
        "Key",
        variables=False,
        placeholder="amount",
        description="The field's name in the output. If empty, it's derived from the label.",
    ),
)

show_notification = Action(
    key="showNotification",
    name="Show notification",
    description="Shows a notification on this computer, and waits for one of its buttons, if it has any.",
    keywords=("notify", "alert", "message", "approve", "confirm", "button"),
    arguments=(
        _TITLE,
        text("text", "Text", multiline=True),
        text(
            "buttons",
            "Buttons, one per line",
            multiline=True,
            description=f"Up to {MAX_BUTTONS}. With buttons, the step waits until one is clicked.",
        ),
        _MINUTES,
        _ON_TIMEOUT,
    ),
    uses_desktop=True,
    time_limit=_TIME_LIMIT,
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    run=run_notification,
)

ask_me = Action(
    key="askMe",
    name="Ask me",
    description="Shows a small form on this computer, and outputs what is entered.",
    keywords=("form", "dialog", "prompt", "input", "question", "approve", "confirm"),
    arguments=(
        _TITLE,
        text("text", "Text", multiline=True),
        rows("fields", "Fields", _FIELDS, required=True, add="Add field"),
        text("submitLabel", "Label of the button", placeholder="Send"),
        _MINUTES,
        _ON_TIMEOUT,
        _ON_CLOSED,
    ),
    uses_desktop=True,
    time_limit=_TIME_LIMIT,
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    run=run_ask,
)
