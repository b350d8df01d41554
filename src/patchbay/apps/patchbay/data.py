"""Data passed between flows: named values, or one value of any kind."""

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Argument, dropdown, name_value_rows, text
from patchbay.integration.values import parameter_error, text_of

FIELDS, JSON = "fields", "json"


def data_arguments(label: str, description: str) -> tuple[Argument, ...]:
    """The arguments for the format of the data, and the data."""
    named = name_value_rows(FIELDS, "Values", add="Add value")
    return (
        dropdown(
            "dataAs",
            label,
            ((FIELDS, "Named values"), (JSON, "Single value or JSON")),
            value=FIELDS,
            description=description,
        ),
        named.model_copy(update={"visible_if": {"dataAs": FIELDS}}),
        text(
            JSON,
            "Value or JSON",
            multiline=True,
            value_type="parse",
            visible_if={"dataAs": JSON},
            description="A variable, such as a whole item, or JSON text.",
        ),
    )


def parse_data(parameters: JsonObject) -> Json:
    """Parse the entered data; None if empty."""
    if text_of(parameters, "dataAs") == JSON:
        return parse_json(parameters, JSON)
    rows = parameters.get(FIELDS)
    given = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {name: row.get("value") for row in given if (name := text_of(row, "key").strip())} or None


def parse_json(parameters: JsonObject, key: str) -> Json:
    """Parse a parameter as JSON or text. Raises `ValidationFailed` for invalid JSON."""
    value = parameters.get(key)
    if not isinstance(value, str):
        return value
    if value.strip()[:1] in ("{", "["):
        raise parameter_error(key, "This isn't valid JSON.", "Check for a missing quote, comma, or bracket.")
    return value if value.strip() else None
