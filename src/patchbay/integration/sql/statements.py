"""SQL statements with placeholders. Names are quoted; values are never part of the SQL."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from patchbay.integration.sql.values import BoundValue
from patchbay.integration.values import parameter_error

_COMPARISONS = ("=", "<>", "!=", ">", "<", ">=", "<=", "LIKE", "NOT LIKE")
_LIST_OPERATORS = ("IN", "NOT IN")
_UNARY_OPERATORS = ("IS NULL", "IS NOT NULL")
OPERATORS = (*_COMPARISONS, *_LIST_OPERATORS, "BETWEEN", *_UNARY_OPERATORS)

_READING = re.compile(r"(select|values|table|show|explain|describe|with)\b", re.I)
_WRITING = re.compile(r"\b(insert|update|delete|merge|replace|into|call|nextval|setval|lock|analyze)\b", re.I)
_COMMENT = re.compile(r"\s+|--[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Dialect:
    """The SQL dialect of a database. `placeholder` returns the placeholder of the n-th value."""

    quote: str
    placeholder: Callable[[int], str]
    returning: bool
    """Whether statements can return changed rows."""

    def name(self, *parts: str) -> str:
        """Quote a name, so that any text is safe as a table or column name."""
        for part in parts:
            if not part or "\0" in part:
                raise parameter_error("table", f"“{part[:60]}” isn't a valid table or column name.")
        return ".".join(
            f"{self.quote}{part.replace(self.quote, self.quote * 2)}{self.quote}" for part in parts
        )


@dataclass(frozen=True)
class Statement:
    """SQL with values for its placeholders. `writes`: all rows are counted, even if not all are kept."""

    sql: str
    values: Sequence[BoundValue] = ()
    writes: bool = False


@dataclass(frozen=True)
class Condition:
    """A comparison of a column. The operator determines the number of `values`."""

    column: str
    operator: str
    values: Sequence[BoundValue]


class _StatementWriter:
    """Collects values and returns the placeholder of each."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.values: list[BoundValue] = []

    def place(self, value: BoundValue) -> str:
        self.values.append(value)
        return self._dialect.placeholder(len(self.values))

    def places(self, values: Sequence[BoundValue]) -> str:
        return ", ".join(map(self.place, values))

    def where(self, conditions: Sequence[Condition]) -> str:
        return " AND ".join(map(self._condition, conditions))

    def _condition(self, condition: Condition) -> str:
        column = self._dialect.name(condition.column)
        operator = condition.operator
        values = condition.values
        if operator in _UNARY_OPERATORS:
            return f"{column} {operator}"
        if operator in _LIST_OPERATORS:
            return f"{column} {operator} ({self.places(values)})"
        if operator == "BETWEEN":
            return f"{column} BETWEEN {self.place(values[0])} AND {self.place(values[1])}"
        return f"{column} {operator} {self.place(values[0])}"


def value_count_range(operator: str) -> tuple[int, int | None]:
    """The (minimum, maximum) number of values an operator takes; None means unlimited."""
    if operator in _UNARY_OPERATORS:
        return 0, 0
    if operator in _LIST_OPERATORS:
        return 1, None
    return (2, 2) if operator == "BETWEEN" else (1, 1)


def insert(
    dialect: Dialect, table: Sequence[str], columns: Mapping[str, BoundValue], *, return_rows: bool
) -> Statement:
    """The statement that inserts one row."""
    writer = _StatementWriter(dialect)
    names = ", ".join(map(dialect.name, columns))
    sql = f"INSERT INTO {dialect.name(*table)} ({names}) VALUES ({writer.places(list(columns.values()))})"
    return Statement(sql + _returning_clause(dialect, return_rows), writer.values, writes=True)


def update(
    dialect: Dialect,
    table: Sequence[str],
    columns: Mapping[str, BoundValue],
    conditions: Sequence[Condition],
    *,
    return_rows: bool,
) -> Statement:
    """The statement that changes rows. Raises `ValidationFailed` without a condition: it would affect all."""
    _require_conditions(conditions)
    writer = _StatementWriter(dialect)
    changes = ", ".join(f"{dialect.name(name)} = {writer.place(value)}" for name, value in columns.items())
    sql = f"UPDATE {dialect.name(*table)} SET {changes} WHERE {writer.where(conditions)}"
    return Statement(sql + _returning_clause(dialect, return_rows), writer.values, writes=True)


def delete(
    dialect: Dialect, table: Sequence[str], conditions: Sequence[Condition], *, return_rows: bool
) -> Statement:
    """The statement that deletes rows. Raises `ValidationFailed` without a condition: it would affect all."""
    _require_conditions(conditions)
    writer = _StatementWriter(dialect)
    sql = f"DELETE FROM {dialect.name(*table)} WHERE {writer.where(conditions)}"
    return Statement(sql + _returning_clause(dialect, return_rows), writer.values, writes=True)


def select_newest(
    dialect: Dialect, table: Sequence[str], column: str, keys: Sequence[str], count: int, skip: int
) -> Statement:
    """Select the rows with the highest values of a column; ties are ordered by primary key."""
    names = [column, *(key for key in keys if key != column)]
    order = ", ".join(f"{dialect.name(name)} DESC" for name in names)
    sql = (
        f"SELECT * FROM {dialect.name(*table)} WHERE {dialect.name(column)} IS NOT NULL "
        f"ORDER BY {order} LIMIT {count:d} OFFSET {skip:d}"
    )
    return Statement(sql)


def is_read_only_sql(sql: str) -> bool:
    """Whether a statement is recognisably read-only. The functions it calls aren't examined."""
    start = 0
    while comment := _COMMENT.match(sql, start):
        start = comment.end()
    text = sql[start:].lstrip("(")
    return _READING.match(text) is not None and not _WRITING.search(text)


def _returning_clause(dialect: Dialect, return_rows: bool) -> str:
    return " RETURNING *" if return_rows and dialect.returning else ""


def _require_conditions(conditions: Sequence[Condition]) -> None:
    if not conditions:
        raise parameter_error(
            "whereClauseEntries",
            "Add at least one condition. Without one, the step would apply to every row.",
            "To apply it to every row, use the SQL query action.",
        )
