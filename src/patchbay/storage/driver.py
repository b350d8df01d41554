"""What raw statements share on SQLite and PostgreSQL: the driver's connection, and statements with a twin.

The rule for SQL in this package is stated in its docstring.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from sqlalchemy import Boolean, ColumnElement, Connection, Text, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

T = TypeVar("T")

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]

DRIVER_KEY = "driver"
"""Key in the `info` of SQLAlchemy's connections."""

ANY_CASE_COLLATION = "any_case"
"""The collation by whose rules PostgreSQL finds lower case, see `postgresql.schema`."""


class DialectName(Protocol):
    """A dialect of SQLAlchemy, or the name of one."""

    @property
    def name(self) -> str:
        """`sqlite` or `postgresql`."""
        ...


class Cursor(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """Number of rows that the statement changed."""
        ...

    def fetchone(self) -> Any:
        """The next row; None after the last."""
        ...

    def fetchall(self) -> list[Any]:
        """All remaining rows."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class StatementRunner(Protocol):
    """Runs statements whose values are `?`, or `:name` if they are given by name."""

    def execute(self, statement: str, parameters: Parameters = ..., /) -> Cursor:
        """Run one statement."""
        ...

    def executemany(self, statement: str, parameters: Iterable[Parameters], /) -> object:
        """Run a statement with each of these values."""
        ...


class Driver(StatementRunner, Protocol):
    """The driver's connection: that of `sqlite3` itself, or one to PostgreSQL with the same methods."""

    @property
    def dialect(self) -> DialectName:
        """The database it is connected to."""
        ...

    @property
    def total_changes(self) -> int:
        """Number of rows changed since the connection was opened."""
        ...

    def cursor(self) -> StatementRunner:
        """What runs several statements with less work than the connection."""
        ...


class Twin(Generic[T]):
    """What differs between SQLite and PostgreSQL, such as a statement that has no common form."""

    def __init__(self, *, sqlite: T, postgresql: T) -> None:
        self._forms = {"sqlite": sqlite, "postgresql": postgresql}

    def on(self, place: Driver | Connection) -> T:
        """The form for the database of this connection."""
        return self._forms[place.dialect.name]


def driver_of(connection: Connection) -> Driver:
    """The driver's connection behind SQLAlchemy's."""
    driver: Driver = connection.info[DRIVER_KEY]
    return driver


class _Folded(GenericFunction[str]):
    """A text in lower case, for comparisons in any case."""

    type = Text()
    inherit_cache = True
    name = "lower_in_any_language"


@compiles(_Folded)
def _compile_folded(element: _Folded, compiler: SQLCompiler, **options: Any) -> str:
    return f"lower({compiler.process(element.clauses, **options)})"


@compiles(_Folded, "postgresql")
def _compile_folded_on_postgresql(element: _Folded, compiler: SQLCompiler, **options: Any) -> str:
    text = compiler.process(element.clauses, **options)
    return f'lower(({text}) COLLATE {ANY_CASE_COLLATION}) COLLATE "C"'


class _Like(GenericFunction[bool]):
    """LIKE as SQLite has it: capitals and small letters of English are the same."""

    type = Boolean()
    inherit_cache = True
    name = "like_in_english"


@compiles(_Like)
def _compile_like(element: _Like, compiler: SQLCompiler, **options: Any) -> str:
    column, pattern = (compiler.process(clause, **options) for clause in element.clauses)
    return f"{column} LIKE {pattern} ESCAPE '/'"


@compiles(_Like, "postgresql")
def _compile_like_on_postgresql(element: _Like, compiler: SQLCompiler, **options: Any) -> str:
    column, pattern = (compiler.process(clause, **options) for clause in element.clauses)
    return f"{column} ILIKE {pattern} ESCAPE '/'"


def in_any_case(text: ColumnElement[str]) -> ColumnElement[str]:
    """The text in lower case. Letters of all languages count."""
    return _Folded(text)


def contains_in_any_case(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Whether a column contains this text in any case."""
    return in_any_case(column).like(in_any_case(_contains_pattern(text)), escape="/")


def contains_in_english(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether a column contains this text; only letters of English may be in another case. Faster."""
    return _Like(column, _contains_pattern(text))


def _contains_pattern(text: str) -> ColumnElement[str]:
    escaped = text.replace("/", "//").replace("%", "/%").replace("_", "/_")
    return bindparam(None, f"%{escaped}%", Text())
