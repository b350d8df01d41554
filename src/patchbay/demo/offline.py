"""The demo's databases, mail servers, and sign-in pages, which need no network."""

import base64
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from patchbay.demo.blueprint import load_json
from patchbay.demo.files import DemoFiles
from patchbay.demo.samples import Occasion, SampleRenderer, get_sample
from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.errors import AppError, NotSupported, ThirdPartyError

if TYPE_CHECKING:
    from aiosmtplib import SMTP

    from patchbay.integration.mail_server import MailServer
    from patchbay.integration.sql import Login, Result, Session, Statement

REJECTED_WORDS = ("revoked", "wrong")
"""Credentials that contain one of these words are rejected."""
SIGN_IN_NOTICE = "The demo signs you in without a browser. Nothing leaves this computer."
_DATABASE_HOST, _MAIL_HOST = "db.example.org", "smtp.example.org"


def is_rejected(credential: str) -> bool:
    """Whether the demo rejects a credential."""
    return any(word in credential.lower() for word in REJECTED_WORDS)


def decoded(text: str | bytes) -> str:
    """The text of something in base64; empty if it isn't."""
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except ValueError:
        return ""


def offline_error(host: str) -> AppError:
    """The error for everything that the demo can't simulate."""
    return NotSupported(
        f"The demo is offline and can't send this request to {host[:100]}.",
        feature="demo",
        meaning="It has sample responses for the apps that its own flows use, but none for this request.",
        todo="Connect this app on this computer: switch to the workspace “This computer”.",
    )


class DemoServices:
    """Replaces services that don't use HTTP."""

    sign_in_notice = SIGN_IN_NOTICE

    def __init__(self, clock: Callable[[], EpochMs]) -> None:
        self._clock = clock
        self.files = DemoFiles(clock)

    def offline_error(self, host: str) -> AppError:
        """The error for a connection to a host that isn't simulated."""
        return offline_error(host)

    @asynccontextmanager
    async def open_database(self, login: "Login") -> "AsyncIterator[Session]":
        """A session of the demo's database. Raises the error for other hosts and for rejected passwords."""
        if login.host != _DATABASE_HOST:
            raise offline_error(login.host)
        if is_rejected(login.password):
            raise ThirdPartyError(
                app="PostgreSQL",
                said=f'password authentication failed for user "{login.user}"',
                meaning="The server rejected the user name or password.",
                todo="Check both, then reconnect.",
                rejects_credentials=True,
            )
        yield _DemoDatabase(login, self._clock())

    def mail_client(self, server: "MailServer") -> "SMTP":
        """A client of the demo's mail server."""
        if server.host != _MAIL_HOST:
            raise offline_error(server.host)
        from patchbay.demo.mail import DemoMailClient  # loads the SMTP client

        return DemoMailClient(server.host, self._clock())

    def visit_sign_in_page(self, url: str) -> Mapping[str, str]:
        """What a browser returns with from a page of OAuth 2, OAuth 1.0a, or one that returns a token."""
        query = dict(parse_qsl(urlsplit(url).query))
        if "oauth_token" in query:
            return {"oauth_token": query["oauth_token"], "oauth_verifier": "demo"}
        if "return_url" in query:
            returned = dict(parse_qsl(urlsplit(query["return_url"]).query))
            return {**returned, "token": "demo-access"}
        return {"code": "demo", "state": query.get("state", "")}


class _DemoDatabase:
    """A session that returns sample rows for every statement."""

    def __init__(self, login: "Login", now: EpochMs) -> None:
        self._login, self._now = login, now

    async def run(self, statement: "Statement", max_rows: int = 1000) -> "Result":
        """The result of a statement: of a query about the database, or sample rows."""
        from patchbay.integration.sql import Result

        rows = self._catalogue_rows(statement)
        if rows is not None:
            return Result(len(rows), tuple(rows))
        if statement.writes and "returning" not in statement.sql.lower():
            return Result(1)
        numbers = random.Random(self._now)  # noqa: S311  # sample data
        renderer = SampleRenderer(numbers, Occasion(self._now, self._now))
        item = renderer.render(get_sample("postgresql.SQLQuery"), {})
        found = item["rows"] if isinstance(item, dict) else None
        kept = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
        kept = kept[: 1 if statement.writes else max_rows]
        return Result(len(kept), tuple(kept))

    def _catalogue_rows(self, statement: "Statement") -> list[JsonObject] | None:
        """The rows of a query about the server, its schemas, tables, columns, and keys; else None."""
        sql, database = statement.sql, load_json("database")
        if "server_version" in sql:
            return [{"version": database["version"], "user_name": self._login.user}]
        if "pg_index" in sql:
            return [{"attname": database["key"]}]
        if "pg_attribute" in sql:
            columns = database["tables"].get(str(statement.values[-1]), [])
            return [{"attname": name, "format_type": kind} for name, kind in columns]
        if "pg_class" in sql:
            return [{"relname": name} for name in database["tables"]]
        return [{"nspname": "public"}] if "pg_namespace" in sql else None
