"""Excel files (.xlsx): checked before they are unpacked, then read and changed. Runs in worker processes."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ExpatError, ParserCreate

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import as_text, parameter_error

from .columns import MAX_VALUES, Table, column_index, too_many_values_error, unique_names

if TYPE_CHECKING:
    from openpyxl import Workbook

MAX_PARTS = 2_000
MAX_UNPACKED = 100 << 20
MAX_UNPACKED_TO_CHANGE = 30 << 20
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,10})?")
"""Texts that are written as numbers. Long ones and those with leading zeros are IDs and the like."""
_MAX_DIGITS = 15
_THEME = "xl/theme/theme1.xml"
"""A part that is neither read nor changed."""
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML can't have, even escaped. No program could read the file."""
_NOT_IN_SHEET_NAMES = re.compile(r"[\\*?:/\[\]]|^'|'$")
_MAX_SHEET_NAME, _MAX_COLUMNS, _MAX_TEXT = 31, 16_384, 32_767
_KEPT = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core|custom)\.xml|"
    r"xl/(workbook|styles|sharedStrings|calcChain|theme/theme\d+|worksheets/sheet\d+|tables/table\d+)\.xml|"
    r"xl/(_rels/workbook|worksheets/_rels/sheet\d+)\.xml\.rels|xl/printerSettings/[\w.]+|.*/"
)
"""Parts of a file that stay when it is saved. Charts, pictures, macros, and others would be lost."""


def read_excel(content: bytes, options: JsonObject) -> Table:
    """The columns and rows of a sheet, with the results of formulas."""
    check_archive(content, MAX_UNPACKED)
    workbook = _load(content, read_only=True)
    rows = [*_rows(_sheet(workbook, options))]
    return Table(unique_names(rows[0]) if rows else [], rows[1:])


def append_to_excel(content: bytes, options: JsonObject, values: JsonObject) -> tuple[bytes, int]:
    """The file with one more row, and its number."""
    workbook = _open_to_change(content)
    sheet = _sheet(workbook, options)
    names = _names(sheet)
    indexes = {column_index(names, _clean(name)): value for name, value in values.items()}
    number = _last_row(sheet) + 1
    for index, value in indexes.items():
        _set(sheet.cell(number, index + 1), value, options)
    return _save(workbook, sheet), number - 1


def update_excel(
    content: bytes, options: JsonObject, column: str, value: str, changes: JsonObject
) -> tuple[bytes, int]:
    """The file with the first row changed whose column has the value, and its number; 0 if there is none."""
    workbook = _open_to_change(content)
    sheet = _sheet(workbook, options)
    names = _names(sheet)
    wanted = column_index(names, _clean(column), "column") + 1
    indexes = {column_index(names, _clean(name)): change for name, change in changes.items()}
    for number in range(2, sheet.max_row + 1):
        if as_text(_plain(sheet.cell(number, wanted).value)).strip() == value.strip():
            for index, change in indexes.items():
                _set(sheet.cell(number, index + 1), change, options)
            return _save(workbook, sheet), number - 1
    return content, 0


def new_excel(options: JsonObject, values: JsonObject) -> bytes:
    """A new file with one row below the names of its columns."""
    from openpyxl import Workbook

    if len(values) > _MAX_COLUMNS:
        raise parameter_error("values", f"An Excel file can't have more than {_MAX_COLUMNS:,} columns.")
    workbook = Workbook()
    sheet: Any = workbook.active
    sheet.title = _sheet_name(options)
    for index, (name, value) in enumerate(values.items(), 1):
        _set(sheet.cell(1, index), name, {})
        _set(sheet.cell(2, index), value, options)
    return _save(workbook, sheet)


def _sheet_name(options: JsonObject) -> str:
    name = as_text(options.get("sheet")).strip() or "Sheet1"
    if len(name) > _MAX_SHEET_NAME or _NOT_IN_SHEET_NAMES.search(name) or name != _clean(name):
        raise parameter_error(
            "sheet",
            f"A sheet can't have the name “{_clean(name)[:50]}”.",
            f"Use up to {_MAX_SHEET_NAME} characters, without \\ / ? * : [ ] and ' at the start or end.",
        )
    return name


def check_archive(content: bytes, most: int) -> list[str]:
    """The names of the parts. Raises `ValidationFailed` for what isn't an Excel file or unpacks to too much.

    The sizes in the directory of an archive are trusted: no part is unpacked any further than its size.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError):
        raise _not_excel_error() from None
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > most:
        raise parameter_error("path", f"The Excel file unpacks to more than {most >> 20} MB.", "Split it.")
    names = [part.filename for part in parts]
    if "[Content_Types].xml" not in names or len({*names}) < len(names):
        raise _not_excel_error()
    return names


def _open_to_change(content: bytes) -> "Workbook":
    lost = [name for name in check_archive(content, MAX_UNPACKED_TO_CHANGE) if not _KEPT.fullmatch(name)]
    if lost:
        raise parameter_error(
            "path",
            f"The Excel file has parts that would be lost when it is saved, such as {lost[0][:100]}.",
            "Use a file without charts, pictures, macros, and comments.",
        )
    return _load(content, read_only=False)


def _load(content: bytes, *, read_only: bool) -> "Workbook":
    # Parses XML with defusedxml, which is installed, so entities aren't expanded.
    from openpyxl import DEFUSEDXML, load_workbook

    if not DEFUSEDXML:
        raise RuntimeError("defusedxml isn't used")
    try:
        return load_workbook(io.BytesIO(content), read_only=read_only, data_only=read_only, keep_links=False)
    except (MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001  its parsers raise anything for a damaged file
        raise _not_excel_error() from None


def _sheet(workbook: "Workbook", options: JsonObject) -> Any:
    wanted = as_text(options.get("sheet")).strip()
    sheets = {sheet.title: sheet for sheet in workbook.worksheets}
    if not sheets:
        raise parameter_error("sheet", "The file has no sheets with cells.")
    if wanted and wanted not in sheets:
        raise parameter_error(
            "sheet", f"There is no sheet “{wanted[:50]}”.", f"There is: {', '.join(sheets)[:300]}."
        )
    return sheets[wanted] if wanted else next(iter(sheets.values()))


def _rows(sheet: Any) -> Iterator[list[Json]]:
    """The rows with values. The size that the sheet claims to have is ignored."""
    sheet.reset_dimensions()
    left = MAX_VALUES
    try:
        for cells in sheet.iter_rows(values_only=True):
            left -= len(cells) + 1
            if left < 0:
                raise too_many_values_error()
            row = [_plain(cell) for cell in cells]
            while row and row[-1] in (None, ""):
                row.pop()
            if row:
                yield row
    except (ValidationFailed, MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001  its parsers raise anything for a damaged file
        raise _not_excel_error() from None


def _names(sheet: Any) -> list[str]:
    if sheet.max_row * sheet.max_column > MAX_VALUES:
        raise too_many_values_error()
    return unique_names([_plain(cell.value) for cell in sheet[1]])


def _last_row(sheet: Any) -> int:
    """The number of the last row with a value; rows below can have a format only."""
    filled = (
        number
        for number in range(sheet.max_row, 1, -1)
        if any(cell.value is not None for cell in sheet[number])
    )
    return next(filled, 1)


def _plain(value: object) -> Json:
    """The value of a cell as JSON: dates and times as in ISO 8601."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else str(value)


def _set(cell: Any, value: Json, options: JsonObject) -> None:
    """Set a cell. Text stays text, so that data from others never becomes a formula, unless it may.

    Excel has no integers with more than 15 digits: such a number is an ID, and written as text.
    """
    is_exact = not isinstance(value, int) or abs(value) < 10**_MAX_DIGITS
    if value is None or (isinstance(value, (bool, int, float)) and is_exact):
        cell.value = value
        return
    text = _clean(as_text(value))[:_MAX_TEXT]
    if _NUMBER.fullmatch(text):
        cell.value = float(text) if "." in text else int(text)
        return
    cell.value = text
    if options.get("formulas") is not True and text:
        cell.data_type = "s"


def _clean(text: str) -> str:
    """A text as it is read back from a file."""
    return _NOT_IN_XML.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def _save(workbook: "Workbook", sheet: Any) -> bytes:
    """The content of the file. Raises `ValidationFailed` if it couldn't be read and changed again."""
    from openpyxl.worksheet._writer import WorksheetWriter
    from openpyxl.writer.excel import ExcelWriter

    class InMemoryWriter(ExcelWriter):  # type: ignore[misc]  # openpyxl has no types
        """Writes sheets to memory: a worker process can't write temporary files."""

        def write_worksheet(self, ws: Any) -> None:
            content = io.BytesIO()
            sheet_writer: Any = WorksheetWriter(ws, out=content)
            sheet_writer.write()
            ws._rels = sheet_writer._rels
            archive.writestr(ws.path[1:], content.getvalue())
            self.manifest.append(ws)

    _check_size(sheet)
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        InMemoryWriter(workbook, archive).save()
    content = output.getvalue()
    check_archive(content, MAX_UNPACKED_TO_CHANGE)
    _check_parts(content)
    return content


def _check_size(sheet: Any) -> None:
    """Check the limit of `read_excel`, which counts the cells that aren't there between others, too."""
    widths = dict[int, int]()
    for (row, column), cell in sheet._cells.items():
        if cell.value is not None or cell.has_style:
            widths[row] = max(column, widths.get(row, 0))
    if max([sheet.max_row, *sheet.row_dimensions]) + sum(widths.values()) > MAX_VALUES:
        raise too_many_values_error()


def _check_parts(content: bytes) -> None:
    """Check that each part is well-formed: otherwise, the file could never be opened again.

    Reading all cells back would take as long as changing the file.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if name == _THEME:
                continue
            try:
                ParserCreate().Parse(archive.read(name), True)
            except ExpatError:
                raise parameter_error("values", "The values can't be written to an Excel file.") from None


def _not_excel_error() -> ValidationFailed:
    return parameter_error("path", "The file isn't a valid Excel file (.xlsx).", "Save it again as .xlsx.")
