"""Arguments of database steps, and their parsing into tables, values, and conditions."""

from collections.abc import Iterator

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration.fields import dropdown, rows, text
from patchbay.integration.sql.statements import OPERATORS, Condition, value_count_range
from patchbay.integration.sql.values import (
    AS_ENTERED,
    BASE64,
    NUMBER,
    YES_NO,
    BoundValue,
    bind_value,
    parse_list,
)
from patchbay.integration.values import as_text, parameter_error, text_of

COLUMNS = "columnValueEntries"
CONDITIONS = "whereClauseEntries"
VALUES = "values"
SETTINGS = "params"


def parse_table(parameters: JsonObject) -> tuple[str, ...]:
    """The table name as (table,) or (schema, table)."""
    table = text_of(parameters, "table").strip()
    if not table:
        raise parameter_error("table", "Choose a table.")
    schema = text_of(parameters, "schema").strip()
    return (schema, table) if schema else (table,)


def parse_columns(parameters: JsonObject) -> dict[str, BoundValue]:
    """Values by column. Raises `ValidationFailed` without any, or for a duplicate column."""
    found: dict[str, BoundValue] = {}
    for row in _filled_rows(parameters.get(COLUMNS)):
        name = _column(row, COLUMNS)
        if name in found:
            raise parameter_error(COLUMNS, f"The column {name} appears more than once.")
        found[name] = _bound(row, row.get("value"), parameters, COLUMNS)
    if not found:
        raise parameter_error(COLUMNS, "Add at least one column with a value.")
    return found


def parse_conditions(parameters: JsonObject) -> list[Condition]:
    """The conditions, which must all match."""
    return [_condition(row, parameters) for row in _filled_rows(parameters.get(CONDITIONS))]


def parse_values(parameters: JsonObject) -> list[BoundValue]:
    """The values for a statement's placeholders, in order; an empty row is an empty value."""
    rows = parameters.get(VALUES)
    given = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [_bound(row, row.get("value"), parameters, VALUES) for row in given]


def parse_session_settings(parameters: JsonObject) -> dict[str, str]:
    """Run-time parameters of the session by name."""
    rows = parameters.get(SETTINGS)
    given = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    named = {text_of(row, "parameter").strip(): text_of(row, "value") for row in given}
    return {name: value for name, value in named.items() if name}


def _condition(row: JsonObject, parameters: JsonObject) -> Condition:
    column = _column(row, CONDITIONS)
    operator = " ".join((text_of(row, "operator") or "=").upper().split())
    if operator not in OPERATORS:
        raise parameter_error(
            CONDITIONS, f"“{operator[:20]}” isn't a valid comparison operator.", "Choose another one."
        )
    least, most = value_count_range(operator)
    entered_values = parse_list(row.get("value")) if most != 1 else [row.get("value")]
    entered_values = [] if most == 0 else entered_values
    if len(entered_values) < least or (most is not None and len(entered_values) > most):
        wanted = "two values, separated by a comma" if most == 2 else "at least one value"
        raise parameter_error(CONDITIONS, f"{column} {operator}: enter {wanted}.")
    values = [_bound(row, value, parameters, CONDITIONS) for value in entered_values]
    return Condition(column, operator, values)


def _filled_rows(rows: Json) -> Iterator[JsonObject]:
    """Rows with input; an untouched row of the form is ignored."""
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and (as_text(row.get("columnName")).strip() or as_text(row.get("value"))):
            yield row


def _column(row: JsonObject, field: str) -> str:
    name = text_of(row, "columnName").strip()
    if not name:
        raise parameter_error(
            field, f"The value “{text_of(row, 'value')[:60]}” has no column.", "Choose a column for it."
        )
    return name


def _bound(row: JsonObject, value: Json, parameters: JsonObject, field: str) -> BoundValue:
    empty_is_null = text_of(parameters, "emptyValues") != "text"
    value_type = text_of(row, "valueType") or AS_ENTERED
    return bind_value(value, value_type, empty_is_null=empty_is_null, field=field)


_TYPES = ((AS_ENTERED, "As entered"), (NUMBER, "Number"), (YES_NO, "Boolean"), (BASE64, "Binary (base64)"))
_VALUE_TYPE = dropdown("valueType", "Type", _TYPES, value=AS_ENTERED)


def table_arguments(default_schema: str) -> tuple[Argument, ...]:
    """The schema argument (if the database has schemas) and the table argument."""
    if not default_schema:
        return (dropdown("table", "Table", source="listTables", required=True, variables=True),)
    return (
        dropdown(
            "schema", "Schema", source="listSchemas", required=True, variables=True, value=default_schema
        ),
        dropdown(
            "table",
            "Table",
            source="listTables",
            within="schema",
            required=True,
            variables=True,
        ),
    )


def column_argument(
    key: str, label: str, default_schema: str, *, description: str = "", variables: bool = True
) -> Argument:
    """A dropdown of the table's columns."""
    given = {"table": "{parameters.table}"} | ({"schema": "{parameters.schema}"} if default_schema else {})
    return dropdown(
        key,
        label,
        source="listColumns",
        given=given,
        required=True,
        variables=variables,
        description=description,
    )


def columns(default_schema: str) -> Argument:
    """The field for columns and their values."""
    row = (
        column_argument("columnName", "Column", default_schema),
        text("value", "Value"),
        _VALUE_TYPE,
    )
    return rows(COLUMNS, "Columns", row, required=True, add="Add column")


def conditions(default_schema: str) -> Argument:
    """The field for conditions on rows, all of which must hold."""
    row = (
        column_argument("columnName", "Column", default_schema),
        dropdown("operator", "Comparison", OPERATORS, value="=", variables=True),
        text("value", "Value"),
    )
    return rows(
        CONDITIONS,
        "Conditions",
        row,
        required=True,
        add="Add condition",
        description="All conditions must match. Separate multiple values for IN and BETWEEN with commas.",
    )


def statement(place: str) -> Argument:
    """The field for an SQL statement with placeholders such as `place`."""
    return Argument(
        key="queryStatement",
        label="Statement",
        required=True,
        multiline=True,
        value_type="verbatim",
        placeholder=f"SELECT * FROM orders WHERE customer = {place}",
        description=f"One SQL statement. Add variables to the list below and write {place} in their place.",
    )


def values(places: str) -> Argument:
    """The field for the values of the placeholders."""
    row = (text("value", "Value"), _VALUE_TYPE)
    return rows(VALUES, f"Values for {places}", row, add="Add value")


def settings() -> Argument:
    """The field for settings of the database session."""
    row = (text("parameter", "Parameter", required=True), text("value", "Value", required=True))
    return rows(
        SETTINGS,
        "Run-time parameters",
        row,
        add="Add parameter",
        description="Apply to this step only, for example TimeZone or search_path.",
    )


def empty_values() -> Argument:
    """The field that says what an empty value stores."""
    options = (("null", "NULL (no value)"), ("text", "Empty text"))
    return dropdown("emptyValues", "Empty values mean", options, value="null")


def return_rows() -> Argument:
    """The field that says whether the changed rows are returned."""
    options = ((True, "Yes"), (False, "No"))
    return dropdown(
        "returnRows",
        "Return the rows",
        options,
        value=True,
        description="Requires SELECT permission on the table.",
    )
