"""The address of a PostgreSQL database: a URL without a password, and the password from elsewhere."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from patchbay.domain.errors import ValidationFailed

SCHEMES = ("postgresql", "postgres")

_PASSWORD_FILE = "pgpass.conf" if sys.platform == "win32" else ".pgpass"
_KEY_FILE = "postgresql.key" if sys.platform == "win32" else ".postgresql/postgresql.key"
_ALLOWED_OPTIONS = frozenset(
    {
        "channel_binding",
        "connect_timeout",
        "gssencmode",
        "host",
        "hostaddr",
        "options",
        "passfile",
        "port",
        "service",
        "sslcert",
        "sslcrl",
        "sslkey",
        "sslmode",
        "sslnegotiation",
        "sslrootcert",
        "target_session_attrs",
        "user",
    }
)
"""Options of libpq that an address may have. Its password is never among them."""


@dataclass(frozen=True)
class PostgresAddress:
    """Where the database is, and how to sign in. Its text form has no password."""

    host: str
    port: int | None
    database: str
    user: str | None
    options: Mapping[str, str] = field(default_factory=dict)
    password: str | None = field(default=None, repr=False)
    """None: libpq looks for it in its password file."""

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"postgresql://{user}{self.host}{port}/{self.database}"

    @property
    def url(self) -> str:
        """The whole URL, with options, as `parse_address` takes it. It has no password."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else quote(self.host, safe="")
        port = f":{self.port}" if self.port else ""
        options = f"?{urlencode(self.options, quote_via=quote)}" if self.options else ""
        return f"postgresql://{user}{host}{port}/{quote(self.database, safe='')}{options}"

    def connect_arguments(self) -> dict[str, str | int]:
        """Arguments for `psycopg.connect`; what isn't given is left to libpq and its environment."""
        given = {
            "host": self.host,
            "port": self.port,
            "dbname": self.database,
            "user": self.user,
            "password": self.password,
        }
        return {**self.options, **{name: value for name, value in given.items() if value}}


def secret_files(address: PostgresAddress) -> tuple[Path, ...]:
    """The files from which PostgreSQL's library reads passwords and the private key; some may not exist.

    They are named by options, by the environment, or else are in the home folder; on Windows, in
    `%APPDATA%\\postgresql`.
    """
    home = Path(os.path.expanduser("~"))
    settings = Path(os.environ.get("APPDATA", home)) / "postgresql" if sys.platform == "win32" else home
    names = (
        (address.options.get("passfile"), "PGPASSFILE", settings / _PASSWORD_FILE),
        (None, "PGSERVICEFILE", settings / ".pg_service.conf"),
        (address.options.get("sslkey"), "PGSSLKEY", settings / _KEY_FILE),
    )
    return tuple(
        Path(option or os.environ.get(variable) or default).expanduser().absolute()
        for option, variable, default in names
    )


def parse_address(url: str, password: str | None = None) -> PostgresAddress:
    """Parse the URL of a database. Raises `ValidationFailed`, also if it contains a password.

    Without `password`, that of the environment variable PGPASSWORD is used.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _invalid(f"the URL can't be read ({error})") from error
    if parts.scheme not in SCHEMES:
        raise _invalid("it must start with postgresql://")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.password is not None or "password" in options:
        raise ValidationFailed(
            {"database": ["it must not contain a password"]},
            happened="The address of the database contains a password.",
            meaning="Other users of this computer can see the arguments of programs.",
            todo="Remove it from the address, and use --database-password-file, PGPASSFILE, or PGPASSWORD. "
            "Choose a new password if others could have seen this one.",
        )
    user = unquote(parts.username) if parts.username else None
    if ":" in f"{user}{options.get('user')}":  # what follows it may be a password, and would be shown
        raise _invalid("the user name must not contain a colon")
    if unknown := sorted(options.keys() - _ALLOWED_OPTIONS):
        raise _invalid(f"unknown option {unknown[0]}")
    return PostgresAddress(
        host=unquote(parts.hostname or ""),
        port=port,
        database=unquote(parts.path.removeprefix("/")),
        user=user,
        options=options,
        password=password or take_password(),
    )


def take_password() -> str | None:
    """The password in the environment. Removes it there, so that programs of flows don't inherit it.

    On Linux, the environment at the start stays readable in /proc for programs of the same user.
    """
    global _password
    _password = os.environ.pop("PGPASSWORD", None) or _password
    return _password


_password: str | None = None


def _invalid(reason: str) -> ValidationFailed:
    return ValidationFailed(
        {"database": [reason]},
        happened=f"The address of the database isn't valid: {reason}.",
        todo="Use --database postgresql://USER@HOST:5432/DATABASE",
    )
