"""The fields that triggers and actions share."""

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Argument, Context, dropdown, rows, text
from patchbay.integration.local_files import AllowedPath
from patchbay.integration.values import as_bool, parameter_error, text_of

from .csv_files import DELIMITERS
from .worker import CSV, EXCEL

MAX_BYTES = 10 << 20
SECONDS = 20.0
OUTPUT_BYTES = 16 << 20
_ENCODINGS: tuple[tuple[Json, str], ...] = (
    ("utf-8", "UTF-8"),
    ("windows-1252", "Windows-1252 (Western)"),
    ("iso-8859-15", "ISO-8859-15 (Latin 9)"),
    ("windows-1250", "Windows-1250 (Central European)"),
    ("windows-1251", "Windows-1251 (Cyrillic)"),
    ("utf-16", "UTF-16"),
)


def file_arguments(*, variables: bool = True) -> tuple[Argument, ...]:
    """The fields for the file, and how to read it."""
    delimiters: tuple[tuple[Json, str], ...] = (("", "Detect"), *DELIMITERS.items())
    return (
        text(
            "path",
            "File",
            required=True,
            variables=variables,
            placeholder="/srv/files/orders.xlsx",
            description="The full path of a CSV or Excel file (.xlsx), in a folder that an admin allows in "
            "Settings → Engine.",
        ),
        text("sheet", "Sheet", variables=variables, description="Of an Excel file. Empty: the first one."),
        dropdown("delimiter", "Delimiter", delimiters, value="", description="Of a CSV file."),
        dropdown("encoding", "Encoding", _ENCODINGS, value="utf-8", description="Of a CSV file."),
    )


def values_argument(label: str) -> Argument:
    """The field for the cells of a row."""
    row = (text("columnName", "Column", required=True), text("value", "Value"))
    return rows("values", label, row, required=True, add="Add column")


def file_kind(path: AllowedPath) -> str:
    """Whether a file is an Excel or a CSV file, by its name. Raises `ValidationFailed` for other tables."""
    extension = path.name.rpartition(".")[2].casefold()
    if extension in ("xls", "xlsm", "xlsb", "ods", "numbers"):
        raise parameter_error(
            "path", f"Files with the extension .{extension} can't be used.", "Save it as .xlsx."
        )
    return EXCEL if extension == "xlsx" else CSV


def read_options(ctx: Context) -> JsonObject:
    """How to read and write the file."""
    names = ("sheet", "delimiter", "encoding", "idColumn", "column", "value")
    entered: JsonObject = {name: text_of(ctx.parameters, name) for name in names}
    return {**entered, "formulas": as_bool(ctx.parameters.get("formulas"))}


def read_values(ctx: Context) -> JsonObject:
    """The cells by the names of their columns. Raises `ValidationFailed` if there are none, or one twice."""
    entered, found = ctx.parameters.get("values"), JsonObject()
    for row in entered if isinstance(entered, list) else []:
        if not isinstance(row, dict) or not (name := text_of(row, "columnName").strip()):
            continue
        if name in found:
            raise parameter_error("values", f"The column {name[:100]} appears more than once.")
        found[name] = row.get("value")
    if not found:
        raise parameter_error("values", "Add at least one column with a value.")
    return found
