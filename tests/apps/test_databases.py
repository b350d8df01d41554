"""The database apps where no server is needed: their forms, their codes, and a server that offers no TLS."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.support.app_calls import built_in, built_in_app, context

from patchbay.apps.mysql import errors as mysql
from patchbay.apps.mysql.types import to_plain_value
from patchbay.apps.postgresql import errors as postgresql
from patchbay.apps.postgresql.types import PgDate, PgInterval, PgTimestamp, PgTimestampTz
from patchbay.domain.errors import TimedOut, Unreachable
from patchbay.integration import OnInterrupted
from patchbay.integration.sql import DatabaseErrorKind

KEYS = ("postgresql", "mysql")
SECRET = "planted-password-5521"


def account(port: int, **changes: str) -> dict[str, str]:
    made = {"host": "127.0.0.1", "port": str(port), "database": "work", "user": "ada", "password": SECRET}
    return {**made, "enableSsl": "false", **changes}


@pytest.mark.parametrize("key", KEYS)
def test_the_password_is_the_only_secret_and_there_is_no_api_request(key):
    app = built_in_app(key)

    assert [field.key for field in app.auth.fields if field.is_secret] == ["password"]
    assert [action.key for action in app.actions] == ["SQLQuery", "insert", "update", "delete"]
    assert [trigger.key for trigger in app.triggers] == ["newRow"]


@pytest.mark.parametrize("key", KEYS)
def test_after_a_crash_only_what_reads_is_repeated(key):
    app = built_in()

    query = app.action(key, "SQLQuery")

    assert query.interruption_policy({"queryStatement": "SELECT 1"}) is OnInterrupted.REPEAT
    assert query.interruption_policy({"queryStatement": "DELETE FROM t"}) is OnInterrupted.ASK
    assert query.interruption_policy({}) is OnInterrupted.ASK
    for name in ("insert", "update", "delete"):
        assert app.action(key, name).interruption_policy({}) is OnInterrupted.ASK


@pytest.mark.parametrize(
    ("sqlstate", "kind"),
    [
        ("28P01", DatabaseErrorKind.CREDENTIALS),
        ("28000", DatabaseErrorKind.CREDENTIALS),
        ("3D000", DatabaseErrorKind.DATABASE),
        ("42501", DatabaseErrorKind.RIGHTS),
        ("42P01", DatabaseErrorKind.MISSING),
        ("23505", DatabaseErrorKind.RULE),
        ("22P02", DatabaseErrorKind.VALUE),
        ("42601", DatabaseErrorKind.SYNTAX),
        ("53300", DatabaseErrorKind.BUSY),
        ("XX000", DatabaseErrorKind.OTHER),
    ],
)
def test_codes_of_postgresql_are_distinguished(sqlstate, kind):
    assert postgresql.error_kind(sqlstate) is kind


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (1045, DatabaseErrorKind.CREDENTIALS),
        (1049, DatabaseErrorKind.DATABASE),
        (1142, DatabaseErrorKind.RIGHTS),
        (1146, DatabaseErrorKind.MISSING),
        (1062, DatabaseErrorKind.RULE),
        (1366, DatabaseErrorKind.VALUE),
        (1064, DatabaseErrorKind.SYNTAX),
        (1213, DatabaseErrorKind.BUSY),
        (1, DatabaseErrorKind.OTHER),
    ],
)
def test_codes_of_mysql_are_distinguished(code, kind):
    assert mysql.error_kind(code) is kind


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ((0, 0, 0), "PT0S"),
        ((14, -3, 14_706_700_000), "P1Y2M-3DT4H5M6.7S"),
        ((0, 0, -1_500_000), "PT-1.5S"),
        ((-1, 0, 60_000_000), "P-1MT1M"),
    ],
)
def test_a_span_reads_as_iso(span, text):
    assert str(PgInterval(*span)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (PgDate(0), "2000-01-01"),
        (PgDate(-1), "1999-12-31"),
        (PgDate(9586), "2026-03-31"),
        (PgDate(-746_410), "0045-05-26 BC"),
        (PgDate(2_921_940), "10000-01-01"),
        (PgDate(2**31 - 1), "infinity"),
        (PgDate(-(2**31)), "-infinity"),
        (PgTimestamp(1_500_000), "2000-01-01T00:00:01.500000"),
        (PgTimestamp(-1), "1999-12-31T23:59:59.999999"),
        (PgTimestampTz(0), "2000-01-01T00:00:00+00:00"),
        (PgTimestampTz(2**63 - 1), "infinity"),
    ],
)
def test_times_of_postgresql_read_as_iso_also_beyond_what_python_knows(value, text):
    assert str(value) == text


def test_json_columns_and_bits_of_mysql_are_read():
    assert to_plain_value('{"a": 1}', 245) == {"a": 1}
    assert to_plain_value("no json", 245) == "no json"
    assert to_plain_value('{"a": 1}', 252) == '{"a": 1}'
    assert to_plain_value(b"\x01\x01", 16) == 257
    assert to_plain_value(None, 16) is None


_GREETING = (
    b"\x0a5.7.0\0"
    + bytes(4)
    + b"12345678\0"
    + b"\xff\xf7\x21\x02\x00\x08\x00\x15"
    + bytes(10)
    + b"123456789012\0"
)
GREETING = len(_GREETING).to_bytes(3, "little") + b"\0" + _GREETING
"""A MySQL server's first words, without the bit that offers TLS."""


@asynccontextmanager
async def listening(first: bytes, after: int = 0) -> AsyncIterator[tuple[int, bytearray]]:
    """A server that says `first`, once it heard so many bytes, and keeps what it hears then; and its port."""
    heard, talks = bytearray(), []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(after)
        writer.write(first)
        heard.extend(await reader.read())
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    def take(*streams: Any) -> None:
        talks.append(asyncio.create_task(talk(*streams)))

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heard
        await asyncio.gather(*talks)


@pytest.mark.parametrize(
    ("key", "refusal", "after"), [("postgresql", b"N", 8), ("mysql", GREETING, 0)], ids=KEYS
)
async def test_nothing_is_sent_to_a_server_that_refuses_to_encrypt(key, refusal, after):
    async with listening(refusal, after) as (port, heard):
        ctx = context(key, {}, data=account(port, enableSsl="true"))
        with pytest.raises(Unreachable, match="doesn't support encrypted connections"):
            await ctx.app.auth.verify_credentials(ctx)

    assert bytes(heard) == b""


@pytest.mark.parametrize("key", KEYS)
async def test_a_server_that_never_answers_is_given_up(key, monkeypatch):
    monkeypatch.setattr(f"patchbay.apps.{key}.driver.CONNECT_SECONDS", 0.2)

    async with listening(b"") as (port, _):
        ctx = context(key, {}, data=account(port))
        with pytest.raises(TimedOut) as told:
            await ctx.app.auth.verify_credentials(ctx)

    assert SECRET not in told.value.text()
