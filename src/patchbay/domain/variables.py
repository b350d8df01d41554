"""References to values of earlier steps and of the run: parse, resolve, and rewrite.

They are written `{{step.<step id>.<path> | default "…" | json}}`.

A reference is `step.`, a step ID, and a path of at least one segment. A segment has no `.`, `{`, `}`, and
`"`, or is in double quotes (`{{step.1."a.b".0}}`), so that every key can be addressed; a quote within quotes
is doubled. In lists, a number is an index from 0; a negative one counts from the end. Filters may follow:
`default` is the fallback value, `json` inserts the value as JSON text.

Values of the run are `{{execution.id}}`, `{{flow.id}}`, and `{{now}}`, with the same filters. Other names
aren't references, but text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from patchbay.domain.base import ExecutionId, FlowId, Json, JsonObject, Model, StepId
from patchbay.domain.errors import PayloadTooLarge

# Each character can match in only one way, so these patterns never backtrack. Possessive quantifiers would be
# shorter, but early releases of Python 3.11 have bugs in them.
_QUOTED = r'"[^"]*(?:""[^"]*)*"'
_BARE = r'(?:[^.{}"|]|\|(?!\s*(?:json\s*(?:\||\}\})|default\s*")))+'
"""A segment may contain `|`, unless a filter follows it."""
_SEGMENT = rf"(?:{_QUOTED}\s*|{_BARE})"
_MAX_PATH_PARTS = 200
"""As deep as data may be nested. A longer path can't match anything, and stays text."""
_RUN_NAMES = r"execution\.id|flow\.id|now"
_FILTER = rf"\|\s*(?:json|default\s*{_QUOTED})\s*"
_REFERENCE = re.compile(
    rf"\{{\{{\s*(?:step\.([^.{{}}\s]+)((?:\.{_SEGMENT}){{1,{_MAX_PATH_PARTS}}})|({_RUN_NAMES})\s*)"
    rf"((?:{_FILTER})*)\}}\}}"
)
_BRACKET = re.compile(r"""\[(?:'([^']*)'|([^\[\]']+))\]""")
_BRACKETED = re.compile(rf"[^\[\]]*(?:{_BRACKET.pattern})+")
_PATH = re.compile(rf"\.({_QUOTED}|{_BARE})")
_FILTERS = re.compile(rf"(json)|default\s*({_QUOTED})")
_FLOAT = re.compile(r"[0-9](?:\.0\b|e[+-]?[0-9])")
"""Matches every number that Python formats differently from JavaScript."""
_STRING_OR_NUMBER = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.]*(?:e[+-]?[0-9]+)?')
_LEADING_ZEROS = re.compile(r"(e[+-])0+")
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-6, 1e21
_MAX_SHORT_LENGTH, _MAX_CACHED_LENGTH = 500, 10_000
"""Of short texts, many are cached, of longer ones, few; even longer ones are parsed each time."""
_MAX_INDEX_DIGITS = 9
_INCOMPLETE = re.compile(r"\{\{\s*step\.[^{}]{0,500}\}\}")
_BEGINNING = re.compile(rf"\{{\{{\s*(?:step\.|{_RUN_NAMES})")

MAX_INSERTED_CHARACTERS = 25 << 20
"""Maximum number of characters that references insert into the parameters of one step."""
MAX_REFERENCES = 10_000
"""Maximum number of references in the parameters of one step."""

RUN = StepId(".run")
"""Refers to the run in place of the ID of a step, which never contains a dot."""

Outputs = Mapping[StepId, Json]
"""The output of each finished step of an execution, and under `RUN` the values of the execution itself."""


class Reference(Model):
    """A reference to a value of an earlier step, or of the run (`step_id` is `RUN`).

    `default` is the fallback value for a missing, null, or empty value; `as_json` inserts the value as JSON.
    """

    step_id: StepId
    path: tuple[str, ...]
    default: str | None = None
    as_json: bool = False

    @property
    def is_run_value(self) -> bool:
        """Whether it refers to a value of the run, which every step of a run has."""
        return self.step_id == RUN

    @property
    def token(self) -> str:
        """The reference as it is written in parameters."""
        filters = [] if self.default is None else [f" | default {_quote(self.default)}"]
        if self.as_json:
            filters.append(" | json")
        start = [] if self.is_run_value else ["step", self.step_id]
        return "{{" + ".".join([*start, *map(_segment, self.path)]) + "".join(filters) + "}}"


def run_values(execution_id: ExecutionId, flow_id: FlowId, now: str) -> JsonObject:
    """The values of a run, to be stored under `RUN`; `now` is an ISO date with an offset."""
    return {"execution": {"id": execution_id}, "flow": {"id": flow_id}, "now": now}


def _segment(part: str) -> str:
    plain = part and part == part.strip() and not any(mark in part for mark in '.{}"|')
    return part if plain else _quote(part)


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _unquote(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part.strip()


def _reference(match: re.Match[str]) -> Reference:
    step_id, path = RUN, tuple((match[3] or "").split("."))
    if match[1]:
        step_id, path = StepId(match[1]), tuple(_unquote(part) for part in _PATH.findall(match[2]))
    default, as_json = None, False
    for is_json, text in _FILTERS.findall(match[4]):
        default, as_json = (default, True) if is_json else (_unquote(text), as_json)
    return Reference(step_id=step_id, path=path, default=default, as_json=as_json)


def split(text: str) -> list[str | Reference]:
    """Split a text into plain texts and references, without empty texts."""
    return list(_parse_cached(text)) if "{{" in text else [text] if text else []


def _parse(text: str) -> tuple[str | Reference, ...]:
    pieces: list[str | Reference] = []
    end = 0
    for match in _REFERENCE.finditer(text):
        if match.start() > end:
            pieces.append(text[end : match.start()])
        pieces.append(_reference(match))
        end = match.end()
    if end < len(text):
        pieces.append(text[end:])
    return tuple(pieces)


_short_texts = lru_cache(maxsize=2048)(_parse)
_long_texts = lru_cache(maxsize=32)(_parse)
"""Separate, because a long text can have hundreds of references, which take 500 bytes each."""


def _parse_cached(text: str) -> tuple[str | Reference, ...]:
    """As `_parse`, cached: the parameters of a flow are the same in each of its runs."""
    if len(text) <= _MAX_SHORT_LENGTH:
        return _short_texts(text)
    return _long_texts(text) if len(text) <= _MAX_CACHED_LENGTH else _parse(text)


def incomplete_references(value: Json) -> Iterator[str]:
    """Yield invalid references inside a value, such as `{{step.c}}`, which has no path."""
    if isinstance(value, str):
        plain = (piece for piece in split(value) if isinstance(piece, str))
        yield from (match[0] for piece in plain for match in _INCOMPLETE.finditer(piece))
    elif isinstance(value, list):
        for item in value:
            yield from incomplete_references(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from incomplete_references(item)


def references(value: Json) -> Iterator[Reference]:
    """Yield every reference inside a value, depth first."""
    if isinstance(value, str):
        yield from (piece for piece in split(value) if isinstance(piece, Reference))
    elif isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from references(item)


def look_up(data: Json, path: tuple[str, ...]) -> tuple[bool, Json]:
    """Return (found, value) for a path in a step's output."""
    for part in path:
        found, value = _look_up_part(data, part)
        if not found and (inner := _bracketed(part)):
            found, value = look_up(data, inner)
        if not found:
            return False, None
        data = value
    return True, data


def _look_up_part(data: Json, part: str) -> tuple[bool, Json]:
    if isinstance(data, dict):
        return (True, data[part]) if part in data else (False, None)
    if isinstance(data, list) and (index := _list_index(part, len(data))) is not None:
        return True, data[index]
    if isinstance(data, (list, str)) and part == "length":
        return True, len(data)
    return False, None


def _bracketed(part: str) -> tuple[str, ...]:
    """The keys in a segment such as `items[0]["a b"]`; empty if it has no brackets."""
    if not part.endswith("]") or not _BRACKETED.fullmatch(part):
        return ()
    keys = [quoted or plain for quoted, plain in _BRACKET.findall(part)]
    return tuple(filter(None, (part[: part.index("[")], *keys)))


def _list_index(part: str, length: int) -> int | None:
    """The index of a list item; -1 is the last one. None if there is no such item."""
    if not part.removeprefix("-").isdecimal() or len(part) > _MAX_INDEX_DIGITS:
        return None
    index = int(part)
    return index if -length <= index < length else None


def as_text(value: Json) -> str:
    """Format a value for insertion into a text: null is empty, booleans and objects are JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: Json) -> str:
    """Format a value as JSON.

    Numbers are written as JavaScript does: 1 for 1.0, and 0.00001 for 1e-05.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _STRING_OR_NUMBER.sub(_rewrite_number, text) if _FLOAT.search(text) else text


def _rewrite_number(match: re.Match[str]) -> str:
    token = match[0]
    if token.startswith('"') or not _FLOAT.search(token):
        return token
    number = float(token)
    if number.is_integer() and abs(number) < _LARGEST_PLAIN:
        return str(int(number))
    if _SMALLEST_PLAIN <= abs(number) < _LARGEST_PLAIN:
        return format(Decimal(token), "f")
    return _LEADING_ZEROS.sub(r"\1", token)


def resolve(value: Json, outputs: Outputs, unresolved: list[Reference] | None = None) -> Json:
    """Replace every reference in `value`. Missing values become empty texts and are added to `unresolved`.

    A text that consists of one reference to an object or list becomes that object or list; every other text
    stays text. Numbers, booleans, and null are unchanged. Raises `PayloadTooLarge` if more than
    `MAX_INSERTED_CHARACTERS` would be inserted, before the result is built.
    """
    return _Resolution(outputs, unresolved).value(value)


def single_value(text: str, outputs: Outputs) -> Json:
    """The value of a text that consists of one reference and is to be inserted as it is; None for others."""
    pieces = _parse_cached(text) if "{{" in text and len(text) <= _MAX_CACHED_LENGTH else ()
    found = [piece for piece in pieces if isinstance(piece, Reference)]
    if len(found) != 1 or found[0].as_json or any(p is not found[0] and str(p).strip() for p in pieces):
        return None
    return _resolve_reference(found[0], outputs, None)


class _Resolution:
    """Resolves the references of one value, and counts what they insert."""

    def __init__(self, outputs: Outputs, unresolved: list[Reference] | None) -> None:
        self._outputs = outputs
        self._unresolved = unresolved
        self._budget = MAX_INSERTED_CHARACTERS
        self._references = MAX_REFERENCES
        self._value_sizes: dict[int, int] = {}
        """Sizes of objects and lists that were inserted unchanged, by `id()`."""

    def value(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._text(value) if "{{" in value else value
        if isinstance(value, dict):
            return {
                key: item if isinstance(item, str) and "{{" not in item else self.value(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return value

    def _text(self, text: str) -> Json:
        if len(text) > _MAX_CACHED_LENGTH and len(_BEGINNING.findall(text)) > self._references:
            raise _too_many_references()
        pieces = _parse_cached(text)
        found = [piece for piece in pieces if isinstance(piece, Reference)]
        if not found:
            return text
        self._references -= len(found)
        if self._references < 0:
            raise _too_many_references()
        if len(found) == 1 and all(piece is found[0] or not str(piece).strip() for piece in pieces):
            value = _resolve_reference(found[0], self._outputs, self._unresolved)
            whole = isinstance(value, (dict, list)) and not found[0].as_json
            return self._insert_value(value) if whole else self._insert_text(found[0], value)
        return "".join(
            piece
            if isinstance(piece, str)
            else self._insert_text(piece, _resolve_reference(piece, self._outputs, self._unresolved))
            for piece in pieces
        )

    def _insert_text(self, reference: Reference, value: Json) -> str:
        text = as_json(value) if reference.as_json else as_text(value)
        self._use_budget(len(text))
        return text

    def _insert_value(self, value: Json) -> Json:
        """Insert an object or list unchanged. The first one is shared.

        Further copies count, since storing them takes space.
        """
        if self._value_sizes:
            size = self._value_sizes.get(id(value)) or len(as_json(value))
            self._value_sizes[id(value)] = size
            self._use_budget(size)
        self._value_sizes.setdefault(id(value), 0)
        return value

    def _use_budget(self, size: int) -> None:
        self._budget -= size
        if self._budget < 0:
            raise PayloadTooLarge(
                f"The values inserted into this step exceed {MAX_INSERTED_CHARACTERS >> 20} MB.",
                meaning="That's the limit for the input of a step.",
                todo="Insert only the parts you need, such as one field instead of a whole response.",
            )


def _too_many_references() -> PayloadTooLarge:
    return PayloadTooLarge(
        f"This step refers to other steps more than {MAX_REFERENCES:,} times.",
        meaning="That's the limit for one step.",
        todo="Use a loop, or insert a whole list instead of each of its values.",
    )


def _resolve_reference(reference: Reference, outputs: Outputs, unresolved: list[Reference] | None) -> Json:
    found, value = look_up(outputs.get(reference.step_id), reference.path)
    if reference.default is not None and (value is None or value == ""):
        return reference.default
    if unresolved is not None and not found:
        unresolved.append(reference)
    return value


def missing(value: Json, outputs: Outputs) -> list[Reference]:
    """The references to steps without a value in these outputs and without a fallback value.

    They are an error in a test and a warning in a run.
    """
    return [
        item
        for item in references(value)
        if item.default is None
        and not item.is_run_value
        and not look_up(outputs.get(item.step_id), item.path)[0]
    ]


def rewrite_references(parameters: JsonObject, new_ids: Mapping[StepId, StepId]) -> JsonObject:
    """Copy parameters, with references to the new IDs of steps."""

    def rewrite(match: re.Match[str]) -> str:
        step_id = new_ids.get(StepId(match[1] or RUN))
        return (
            match[0] if step_id is None else _reference(match).model_copy(update={"step_id": step_id}).token
        )

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return _REFERENCE.sub(rewrite, value)
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        return value

    return {key: walk(item) for key, item in parameters.items()}
