"""CSV: a table in a text, as a list of objects or lists, and back. Reading is bounded in rows and values."""

import csv
import io
from collections.abc import Iterable, Iterator

from patchbay.domain.base import Json
from patchbay.integration.values import as_text, parameter_error

MAX_VALUES = 250_000
_MAX_FIELD = 5_000_000
_SNIFFED_CHARACTERS = 5_000
DELIMITERS = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar"}
AUTOMATIC = "auto"


def parse_csv(text: str, delimiter: str, *, has_header: bool) -> list[Json]:
    """The rows of a table, without blank lines: objects by the names in the first row, or lists of texts."""
    if delimiter == AUTOMATIC:
        delimiter = find_delimiter(text)
    rows = _rows(text.removeprefix("\ufeff"), delimiter)
    if not has_header:
        return [[*row] for row in rows]
    names = unique_names(next(rows, []))
    return [_as_object(names, row) for row in rows]


def find_delimiter(text: str) -> str:
    """The delimiter that is most frequent in the first line, outside of quotes; a comma if there is none."""
    first = text.lstrip("\ufeff\r\n")[:_SNIFFED_CHARACTERS]
    counts, quoted = dict.fromkeys(DELIMITERS, 0), False
    for character in first:
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "\r\n":
            break
        elif not quoted and character in counts:
            counts[character] += 1
    return max(counts, key=lambda one: counts[one])


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    if delimiter not in DELIMITERS:
        raise parameter_error("delimiter", "Choose a delimiter.")
    csv.field_size_limit(_MAX_FIELD)
    left = MAX_VALUES
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            left -= len(row) + 1
            if left < 0:
                raise parameter_error(
                    "input", f"The table contains more than {MAX_VALUES:,} values.", "Split it first."
                )
            if any(row):
                yield row
    except csv.Error as error:
        raise parameter_error(
            "input", f"The text isn't a valid table (line {reader.line_num}): {error}."
        ) from None


def unique_names(row: list[str]) -> list[str]:
    """The names of the columns: blank ones are numbered, and repeated ones get a number."""
    names: dict[str, None] = {}
    counts: dict[str, int] = {}
    for number, cell in enumerate(row, 1):
        base = name = cell.strip() or f"column {number}"
        while name in names:
            counts[base] = counts.get(base, 1) + 1
            name = f"{base} {counts[base]}"
        names[name] = None
    return [*names]


def _as_object(names: list[str], row: list[str]) -> Json:
    """The cells by name; missing ones are empty, and more than there are names are numbered."""
    more = [f"column {number}" for number in range(len(names) + 1, len(row) + 1)]
    cells = row + [""] * (len(names) - len(row))
    return dict(zip([*names, *more], cells, strict=True))


def make_csv(rows: Iterable[Json], delimiter: str, *, with_header: bool) -> str:
    """A table of objects, lists, or single values. Columns of objects are in the order of their first use."""
    if delimiter not in DELIMITERS:
        raise parameter_error("delimiter", "Choose a delimiter.")
    items = [*rows]
    names = [*dict.fromkeys(name for item in items if isinstance(item, dict) for name in item)]
    if len(names) * len(items) > MAX_VALUES:
        raise parameter_error(
            "input", f"The table would have more than {MAX_VALUES:,} values.", "Use fewer columns."
        )
    output = io.StringIO()
    writer = csv.writer(output, delimiter=delimiter, lineterminator="\r\n")
    if with_header and names:
        writer.writerow(names)
    writer.writerows(map(lambda item: _cells(item, names), items))
    return output.getvalue()


def _cells(item: Json, names: list[str]) -> list[str]:
    if isinstance(item, dict):
        return [as_text(item.get(name)) for name in names]
    return [as_text(cell) for cell in item] if isinstance(item, list) else [as_text(item)]
