"""CSV files: reading, and changing a row while everything else stays as it is. Runs in worker processes."""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.charsets import codec_for, decode
from patchbay.domain.exports import escape_formula
from patchbay.integration.values import as_text, parameter_error

from .columns import MAX_VALUES, Table, column_index, too_many_values_error, unique_names

DELIMITERS = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar"}
_SNIFFED = 5_000
_MAX_FIELD = 1_000_000
_BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\r|\n")


class _Row(NamedTuple):
    """A row, and where its lines are in the text."""

    cells: list[str]
    start: int
    end: int


@dataclass(frozen=True)
class CsvFormat:
    """How a file is written: with which delimiter, line ends, and encoding."""

    delimiter: str
    newline: str
    codec: str
    has_mark: bool

    def line(self, cells: Sequence[str], line_end: str) -> str:
        """A row as text."""
        return self._format(cells, csv.QUOTE_MINIMAL) + line_end

    def first_line(self, names: Sequence[str]) -> str:
        """The row of names. They are quoted if one has a delimiter, so that this one is detected later."""
        has_other = any(delimiter in name for delimiter in DELIMITERS for name in names)
        return self._format(names, csv.QUOTE_ALL if has_other else csv.QUOTE_MINIMAL) + self.newline

    def _format(self, cells: Sequence[str], quoting: Literal[0, 1]) -> str:
        output = io.StringIO()
        # Cells are quoted for the characters of the line end, and each of these would end the row.
        writer = csv.writer(output, delimiter=self.delimiter, lineterminator="\r\n", quoting=quoting)
        writer.writerow(cells)
        return output.getvalue().removesuffix("\r\n")

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
    names = unique_names(rows[0].cells) if rows else []
    return Table(names, [[*row.cells] for row in rows[1:]])


def append_to_csv(content: bytes, options: JsonObject, values: JsonObject) -> tuple[bytes, int]:
    """The file with one more row, and its number. A file without content gets a first row with the names."""
    text, found = _open(content, options)
    rows = [row.cells for row in _parse(text, found.delimiter)]
    names = unique_names(rows[0]) if rows else [*values]
    cells = [""] * len(names)
    for name, value in values.items():
        cells[column_index(names, name)] = _to_cell(value, options, found.delimiter)
    if text and not text.endswith(("\n", "\r")):
        text += found.newline
    if not rows:
        rows = [[_to_cell(name, {}, found.delimiter) for name in names]]
        text += found.first_line(rows[0])
    text += found.line(cells, found.newline)
    return _checked(found.content_of(text), options, [*rows, cells]), len(rows)


def update_csv(
    content: bytes, options: JsonObject, column: str, value: str, changes: JsonObject
) -> tuple[bytes, int]:
    """The file with the first row changed whose column has the value, and its number; 0 if there is none.

    All other lines stay as they are.
    """
    text, found = _open(content, options)
    rows = _parse(text, found.delimiter)
    names = unique_names(rows[0].cells) if rows else []
    wanted = column_index(names, column, "column")
    indexes = {
        column_index(names, name): _to_cell(change, options, found.delimiter)
        for name, change in changes.items()
    }
    for number, (cells, start, end) in enumerate(rows[1:], 1):
        if wanted < len(cells) and cells[wanted].strip() == value.strip():
            cells += [""] * (len(names) - len(cells))
            _replace(cells, indexes)
            line_end = text[start:end].removeprefix(text[start:end].rstrip("\r\n"))
            text = text[:start] + found.line(cells, line_end) + text[end:]
            return _checked(found.content_of(text), options, [row.cells for row in rows]), number
    return content, 0


def _replace(row: list[str], changes: Mapping[int, str]) -> None:
    for index, text in changes.items():
        row[index] = text


def _checked(content: bytes, options: JsonObject, rows: Sequence[list[str]]) -> bytes:
    """The new content. Raises `ValidationFailed` unless it is read back as these rows."""
    text, found = _open(content, options)
    if [row.cells for row in _parse(text, found.delimiter)] != [row for row in rows if any(row)]:
        raise parameter_error(
            "path",
            "The changed file wouldn't be read back with these rows, so it wasn't saved.",
            "Check the quotation marks in the file, and choose its delimiter.",
        )
    return content


def _open(content: bytes, options: JsonObject) -> tuple[str, CsvFormat]:
    encoding = as_text(options.get("encoding")) or "utf-8"
    has_mark = not content and encoding == "utf-16"
    if encoding == "utf-16":
        encoding = "utf-16be" if content.startswith(codecs.BOM_UTF16_BE) else "utf-16le"
    try:
        text = decode(content, encoding)
    except ValueError:
        raise parameter_error(
            "encoding", "The file isn't text in this encoding.", "Choose another encoding."
        ) from None
    has_mark, text = has_mark or text.startswith(_BOM), text.removeprefix(_BOM)
    delimiter = as_text(options.get("delimiter"))
    if delimiter not in DELIMITERS:
        delimiter = _find_delimiter(text)
    newline = "\r\n" if "\r\n" in text[:_SNIFFED] else "\n"
    return text, CsvFormat(delimiter, newline, codec_for(encoding) or "utf-8", has_mark)


def _find_delimiter(text: str) -> str:
    """The delimiter that is most frequent in the first line, outside of quotes."""
    line = _LINE_END.split("".join(text[:_SNIFFED].split('"')[::2]), maxsplit=1)[0]
    return max(DELIMITERS, key=line.count)


def _parse(text: str, delimiter: str) -> list[_Row]:
    """The rows with values. Each has the position of its lines."""
    csv.field_size_limit(_MAX_FIELD)
    rows, left, start, end = list[_Row](), MAX_VALUES, 0, 0

    def lines() -> Iterator[str]:
        nonlocal end
        for line in io.StringIO(text, newline=""):
            end += len(line)
            yield line

    reader = csv.reader(lines(), delimiter=delimiter)
    try:
        for cells in reader:
            left -= len(cells) + 1
            if left < 0:
                raise too_many_values_error()
            if any(cells):
                rows.append(_Row(cells, start, end))
            start = end
    except csv.Error as error:
        raise parameter_error(
            "path", f"The file isn't a valid table (line {reader.line_num}): {error}."
        ) from None
    return rows


def _to_cell(value: Json, options: JsonObject, delimiter: str) -> str:
    """A value as text. Texts that a spreadsheet would run as formulas are escaped, unless they may run."""
    text = as_text(value)
    if options.get("formulas") is not True and not isinstance(value, (int, float)):
        text = str(escape_formula(text, delimiter))
    if len(text) > _MAX_FIELD:
        raise parameter_error("values", f"A value has more than {_MAX_FIELD:,} characters.", "Shorten it.")
    return text
