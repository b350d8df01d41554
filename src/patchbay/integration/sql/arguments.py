"""The inputs of database steps."""

from patchbay.domain.fields import Argument
from patchbay.integration.fields import dropdown, rows, text
from patchbay.integration.sql.rows import COLUMNS, CONDITIONS, SETTINGS, VALUES
from patchbay.integration.sql.statements import OPERATORS
from patchbay.integration.sql.values import AS_GIVEN, BASE64, NUMBER, YES_NO

_TYPES = ((AS_GIVEN, "As it is"), (NUMBER, "Number"), (YES_NO, "Yes or no"), (BASE64, "Bytes in base64"))
_VALUE_TYPE = dropdown("valueType", "Type", _TYPES, value=AS_GIVEN)


def table_arguments(default_schema: str) -> tuple[Argument, ...]:
    """Schema, where there are any, and table."""
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
            given={"schema": "{parameters.schema}"},
            required=True,
            variables=True,
            depends_on=("schema",),
        ),
    )


def column_argument(
    key: str, label: str, default_schema: str, *, description: str = "", variables: bool = True
) -> Argument:
    """One of the table's columns."""
    given = {"table": "{parameters.table}"} | ({"schema": "{parameters.schema}"} if default_schema else {})
    return dropdown(
        key, label, source="listColumns", given=given, required=True, variables=variables,
        description=description,
    )  # fmt: skip


def columns(default_schema: str) -> Argument:
    row = (
        column_argument("columnName", "Column", default_schema),
        text("value", "Value"),
        _VALUE_TYPE,
    )
    return rows(COLUMNS, "Columns", row, required=True, add="Add column")


def conditions(default_schema: str) -> Argument:
    row = (
        column_argument("columnName", "Column", default_schema),
        dropdown("operator", "Comparison", OPERATORS, value="=", variables=True),
        text("value", "Value"),
    )
    return rows(
        CONDITIONS,
        "Only rows where",
        row,
        required=True,
        add="Add condition",
        description="All conditions must hold. IN and BETWEEN take several values, separated by commas.",
    )


def statement(place: str) -> Argument:
    return Argument(
        key="queryStatement",
        label="Statement",
        required=True,
        multiline=True,
        value_type="verbatim",
        placeholder=f"SELECT * FROM orders WHERE customer = {place}",
        description=f"One SQL statement. Values of earlier steps go into the list below; write {place} here.",
    )


def values(places: str) -> Argument:
    row = (text("value", "Value"), _VALUE_TYPE)
    return rows(VALUES, f"Values for {places}", row, add="Add value")


def settings() -> Argument:
    row = (text("parameter", "Parameter", required=True), text("value", "Value", required=True))
    return rows(
        SETTINGS,
        "Run-time parameters",
        row,
        add="Add parameter",
        description="Set for this step only, for example TimeZone or search_path.",
    )


def empty_values() -> Argument:
    options = (("null", "NULL, no value"), ("text", "An empty text"))
    return dropdown("emptyValues", "Empty values mean", options, value="null")


def rows_back() -> Argument:
    options = ((True, "Yes"), (False, "No"))
    return dropdown(
        "returnRows", "Give the rows back", options, value=True,
        description="Needs the right to read the table.",
    )  # fmt: skip
