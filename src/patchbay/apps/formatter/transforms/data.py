"""The table of data transforms: key, label, inputs, function."""

import json

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.condition_operators import as_list
from patchbay.integration import YES_NO, Argument, dropdown, name_value_rows, text
from patchbay.integration.values import as_bool, text_of

from ..catalogue import Cost, Now, Transform
from . import csv_text, lists, templates, xml_text
from .text import PARSE_JSON, parse_stringified_json


def _make_json(given: JsonObject, now: Now) -> str:
    rows = given.get("values")
    named = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    value: Json = {name: row.get("value") for row in named if (name := text_of(row, "key"))}
    if not value:
        value = given.get("input")
    return json.dumps(value, ensure_ascii=False, indent=2 if as_bool(given.get("indent")) else None)


def _parse_csv(given: JsonObject, now: Now) -> Json:
    delimiter = text_of(given, "delimiter") or csv_text.AUTOMATIC
    has_header = as_bool(given.get("hasHeader"), default=True)
    return csv_text.parse_csv(text_of(given, "input"), delimiter, has_header=has_header)


def _make_csv(given: JsonObject, now: Now) -> Json:
    with_header = as_bool(given.get("hasHeader"), default=True)
    return csv_text.make_csv(
        _items(given.get("input")), text_of(given, "delimiter") or ",", with_header=with_header
    )


def _make_xml(given: JsonObject, now: Now) -> Json:
    value = _structure(given.get("input"))
    if isinstance(value, list):
        value = {"item": value}
    return xml_text.make_xml(value, text_of(given, "root"))


def _fill_template(given: JsonObject, now: Now) -> Json:
    return templates.fill_template(
        text_of(given, "template"), _structure(given.get("input")), _separator(given)
    )


def _items(value: Json) -> list[Json]:
    """The items of a list or of its JSON text; an object is the only item."""
    return as_list(_structure(value))


def _structure(value: Json) -> Json:
    """The object or list behind a JSON text; other values stay."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return parse_stringified_json(value)
    return value


def _separator(given: JsonObject) -> str:
    return text_of(given, "separator").replace("\\n", "\n").replace("\\t", "\t")


def _list_argument(label: str, description: str) -> Argument:
    return text("input", label, required=True, value_type="list", multiline=True, description=description)


def _json_fields() -> tuple[Argument, ...]:
    return (
        name_value_rows(
            "values",
            "Names and values",
            description="The result is an object with these names. Leave empty to use the value below.",
            add="Add value",
        ),
        text("input", "Value", description="A variable, such as a list, to convert as a whole."),
        dropdown("indent", "Several lines", YES_NO, value=False),
    )


def _csv_fields(*, parse: bool) -> tuple[Argument, ...]:
    names = [*csv_text.DELIMITERS.items()]
    automatic = [(csv_text.AUTOMATIC, "Detect automatically")] if parse else []
    source = (
        text("input", "CSV text", required=True, multiline=True)
        if parse
        else _list_argument("Rows", "A list of objects or lists.")
    )
    return (
        source,
        dropdown("delimiter", "Delimiter", [*automatic, *names], value=csv_text.AUTOMATIC if parse else ","),
        dropdown("hasHeader", "First row has the names", YES_NO, value=True),
    )


def _xml_fields() -> tuple[Argument, ...]:
    return (
        _list_argument("Value", "An object or list. @name is an attribute, #text the text of an element."),
        text(
            "root",
            "Outermost element",
            description="Leave empty if the object has one key, which is its name.",
        ),
    )


def _template_fields() -> tuple[Argument, ...]:
    return (
        text(
            "template",
            "Template",
            required=True,
            multiline=True,
            placeholder="{number}. {name}: {price}",
            description="{name} inserts a value of each item, {customer.name} one inside of it.",
        ),
        _list_argument("Object or list", "With a list, the template is filled in once per item."),
        text("separator", "Between items", value="\\n", description="\\n is a line break."),
    )


def _join_fields() -> tuple[Argument, ...]:
    return (
        _list_argument("List", "The list to join."),
        text("separator", "Separator", value=", ", description="\\n is a line break."),
    )


def _split_fields() -> tuple[Argument, ...]:
    return (
        text("input", "Input", required=True, multiline=True),
        text("separator", "Separator", value=",", description="\\n is a line break."),
    )


DATA = (
    PARSE_JSON,
    Transform("makeJson", "Make JSON", _make_json, _json_fields),
    Transform("parseCsv", "Parse CSV", _parse_csv, lambda: _csv_fields(parse=True), Cost.UNBOUNDED),
    Transform("makeCsv", "Make CSV", _make_csv, lambda: _csv_fields(parse=False), Cost.UNBOUNDED),
    Transform(
        "parseXml",
        "Parse XML",
        lambda given, now: xml_text.parse_xml(text_of(given, "input")),
        lambda: (text("input", "XML text", required=True, multiline=True),),
        Cost.UNBOUNDED,
    ),
    Transform("makeXml", "Make XML", _make_xml, _xml_fields, Cost.UNBOUNDED),
    Transform("fillTemplate", "Fill in a template", _fill_template, _template_fields, Cost.UNBOUNDED),
    Transform(
        "splitText",
        "Split text",
        lambda given, now: lists.split_text(text_of(given, "input"), text_of(given, "separator")),
        _split_fields,
    ),
    Transform(
        "joinList",
        "Join list",
        lambda given, now: lists.join_list(_items(given.get("input")), text_of(given, "separator")),
        _join_fields,
        Cost.UNBOUNDED,
    ),
)
