"""CSV files: reading, and changing a row while everything else stays as it is. Runs in worker processes."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.charsets import codec_for, decode
from patchbay.domain.exports import escape_formula
from patchbay.integration.values import as_text, parameter_error

from .columns import MAX_VALUES, Table, column_index, too_many_values_error, unique_names

DELIMITERS = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar"}
_SNIFFED = 5_000
_MAX_FIELD = 1_000_000
_BOM = "\ufeff"


@dataclass(frozen=True)
class CsvFormat:
    """How a file is written: with which delimiter, line ends, and encoding."""

    delimiter: str
    newline: str
    codec: str
    has_mark: bool

    def line(self, cells: Sequence[object]) -> str:
        """A row as text, with its line end."""
        output = io.StringIO()
        csv.writer(output, delimiter=self.delimiter, lineterminator=self.newline).writerow(cells)
        return output.getvalue()

    def content_of(self, text: str) -> bytes:
        """The content of a file. Raises `ValidationFailed` for characters that the encoding doesn't have."""
        try:
            # allow encoding: `codec_for` returns only those of the allow-list
            return ((_BOM if self.has_mark else "") + text).encode(self.codec)
        except UnicodeEncodeError:
            raise parameter_error(
                "values", "The values have characters that the file's encoding doesn't have."
            ) from None


def read_csv(content: bytes, options: JsonObject) -> Table:
    """The columns and rows of a file."""
    text, found = _open(content, options)
    rows = _parse(text, found.delimiter)
    names = unique_names(rows[0]) if rows else []
    return Table(names, [*map(_cells, rows[1:])])


def append_to_csv(content: bytes, options: JsonObject, values: JsonObject) -> tuple[bytes, int]:
    """The file with one more row, and its number. A file without content gets a first row with the names."""
    text, found = _open(content, options)
    rows = _parse(text, found.delimiter)
    names = unique_names(rows[0]) if rows else [*values]
    cells: list[object] = [""] * len(names)
    for name, value in values.items():
        cells[column_index(names, name)] = _to_cell(value, options)
    if not rows:
        text = found.line([escape_formula(name) for name in names])
    elif not text.endswith(("\n", "\r")):
        text += found.newline
    return found.content_of(text + found.line(cells)), max(1, len(rows))


def update_csv(
    content: bytes, options: JsonObject, column: str, value: str, changes: JsonObject
) -> tuple[bytes, int]:
    """The file with the first row changed whose column has the value, and its number; 0 if there is none."""
    text, found = _open(content, options)
    rows = _parse(text, found.delimiter)
    names = unique_names(rows[0]) if rows else []
    wanted = column_index(names, column, "column")
    indexes = {column_index(names, name): _to_cell(change, options) for name, change in changes.items()}
    for number, row in enumerate(rows[1:], 1):
        if wanted < len(row) and row[wanted].strip() == value.strip():
            row += [""] * (len(names) - len(row))
            _replace(row, indexes)
            return found.content_of("".join(map(found.line, rows))), number
    return content, 0


def _replace(row: list[str], changes: Mapping[int, str]) -> None:
    for index, text in changes.items():
        row[index] = text


def _open(content: bytes, options: JsonObject) -> tuple[str, CsvFormat]:
    encoding = as_text(options.get("encoding")) or "utf-8"
    try:
        text = decode(content, encoding)
    except ValueError:
        raise parameter_error(
            "encoding", "The file isn't text in this encoding.", "Choose another encoding."
        ) from None
    has_mark, text = text.startswith(_BOM), text.removeprefix(_BOM)
    delimiter = as_text(options.get("delimiter"))
    if delimiter not in DELIMITERS:
        delimiter = _find_delimiter(text)
    newline = "\r\n" if "\r\n" in text[:_SNIFFED] else "\n"
    return text, CsvFormat(delimiter, newline, codec_for(encoding) or "utf-8", has_mark)


def _find_delimiter(text: str) -> str:
    """The delimiter that is most frequent in the first line, outside of quotes."""
    line = "".join(text[:_SNIFFED].split('"')[::2]).partition("\n")[0]
    return max(DELIMITERS, key=line.count)


def _parse(text: str, delimiter: str) -> list[list[str]]:
    csv.field_size_limit(_MAX_FIELD)
    rows, left = list[list[str]](), MAX_VALUES
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            left -= len(row) + 1
            if left < 0:
                raise too_many_values_error()
            if any(row):
                rows.append(row)
    except csv.Error as error:
        raise parameter_error(
            "path", f"The file isn't a valid table (line {reader.line_num}): {error}."
        ) from None
    return rows


def _cells(row: list[str]) -> list[Json]:
    return [*row]


def _to_cell(value: Json, options: JsonObject) -> str:
    """A value as text. Texts that a spreadsheet would run as formulas are escaped, unless they may run."""
    text = as_text(value)
    if options.get("formulas") is True or isinstance(value, (int, float)):
        return text
    return str(escape_formula(text))
