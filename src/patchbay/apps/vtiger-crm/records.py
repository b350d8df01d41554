"""Records of Vtiger's modules: reading lists, and actions that create them."""

import json
from collections.abc import AsyncGenerator, Iterable
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument, is_empty
from patchbay.integration import Action, Context, dropdown, text
from patchbay.integration.polling import MAX_PAGES, MAX_POLL_BYTES

from .session import call

Field = tuple[Argument, str]
"""An argument, and the name of the field that it sets."""
_LIMIT = 100
"""The most records that Vtiger returns."""


async def read_records(ctx: Context, module: str, order: str = "") -> AsyncGenerator[dict[str, Any], None]:
    """All records of a module, page by page. Bounded by pages and bytes; then `has_more_items` is set."""
    page_factor, received_bytes = 1 + ctx.unfinished_polls, 0
    for page in range(MAX_PAGES * page_factor):
        query = f"SELECT * FROM {module} {order}".strip()
        document = await call(ctx, "GET", "query", query=f"{query} LIMIT {page * _LIMIT}, {_LIMIT};")
        records = document["result"]
        for record in records:
            yield record
        if len(records) < _LIMIT:
            return
        received_bytes += len(ctx.last_response.content) if ctx.last_response else 0
        if received_bytes > MAX_POLL_BYTES * page_factor:
            break
    ctx.has_more_items = True


def create_action(key: str, name: str, description: str, module: str, fields: Iterable[Field]) -> Action:
    """An action that creates a record of a module. Empty arguments are left out."""
    listed = tuple(fields)

    async def run(ctx: Context) -> None:
        record: JsonObject = {
            field: _value(ctx.parameters[argument.key])
            for argument, field in listed
            if not is_empty(ctx.parameters.get(argument.key))
        }
        ctx.set_action_item(
            await call(ctx, "POST", "create", elementType=module, element=json.dumps(_split_start(record)))
        )

    return Action(
        key=key,
        name=name,
        description=description,
        arguments=tuple(argument for argument, _ in listed),
        run=run,
    )


def _value(value: Json) -> Json:
    return "0" if value == "-1" else value


def _split_start(record: JsonObject) -> JsonObject:
    """The record with its start as date and time, which are two fields."""
    start = record.get("date_start")
    if not isinstance(start, str):
        return record
    date, _, time = start.strip().replace("T", " ").partition(" ")
    return {**record, "date_start": date, **({"time_start": time.strip()} if time else {})}


def line(key: str, label: str, field: str, description: str = "", *, required: bool = False) -> Field:
    """A field with a text."""
    return text(key, label, required=required, description=description), field


def date(key: str, label: str, field: str, *, required: bool = False) -> Field:
    """A field with a date."""
    return text(key, label, required=required, placeholder="2026-03-31"), field


def long_text(key: str, label: str, field: str, *, required: bool = False) -> Field:
    """A field with a text of several lines."""
    return text(key, label, required=required, multiline=True), field


def record(key: str, label: str, field: str, source: str, *, required: bool = False) -> Field:
    """A field with another record."""
    return dropdown(key, label, source=source, required=required, variables=True), field


def choice(key: str, label: str, field: str, source: str, *, required: bool = False) -> Field:
    """A field with one of the options that the Vtiger has for it."""
    argument = dropdown(key, label, source=source, given={key: field}, required=required, variables=True)
    return argument, field


def fixed(key: str, label: str, field: str, options: Iterable[str], *, required: bool = False) -> Field:
    """A field whose options are the same everywhere."""
    return dropdown(key, label, options, required=required, variables=True), field


def yes_no(key: str, label: str, field: str) -> Field:
    """A field with a check box."""
    return dropdown(key, label, (("1", "Yes"), ("-1", "No")), variables=True), field


ASSIGNED_TO = line(
    "assignedTo", "Assigned to", "assigned_user_id", "The ID of a user or group, such as 19x1."
)
CURRENCY = record("recordCurrencyId", "Currency", "record_currency_id", "listRecordCurrencies")
SALUTATION = fixed("salutation", "Salutation", "salutationtype", ("Mr.", "Ms.", "Mrs.", "Dr.", "Prof."))
SLA = record("slaId", "SLA", "slaid", "listSlaNames")
BILLABLE = (
    yes_no("isBillable", "Billable", "is_billable"),
    record("service", "Service", "billing_service", "listServices"),
    line("rate", "Rate", "rate"),
)
