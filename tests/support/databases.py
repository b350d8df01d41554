"""Real database servers on this computer, each with a data folder of its own that is gone afterwards."""

import os
import shutil
import signal
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.certificates import write_certificates
from tests.support.ports import free_port
from tests.support.processes import until

from patchbay.domain.base import AppKey

USER = "ada"
PASSWORD = "planted-Wörd-7731"
DATABASE = "work"
ADMIN = "admin"
"""The superuser."""
ADMIN_PASSWORD = "admin-3310"
_START_SECONDS = 30.0


class DatabaseServer(ABC):
    """A server that can be stopped and started. `ada` owns the database `work`."""

    key = AppKey("")
    """Of the app that speaks to it."""
    system_user = ""
    """Who runs the server when the tests are run by root, which database servers refuse to be run by."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def account(self, **changes: Any) -> dict[str, Any]:
        """What a person enters to connect."""
        return {
            "host": "127.0.0.1",
            "port": str(self.port),
            "enableSsl": "false",
            "database": DATABASE,
            "user": USER,
            "password": PASSWORD,
            **changes,
        }

    @property
    def authority(self) -> str:
        """The certificate of who signed the server's, on one line as a form keeps it."""
        return " ".join((self.folder / "authority.pem").read_text().split("\n"))

    def set_up(self) -> None:
        write_certificates(self.folder)
        (self.folder / "server.key").chmod(0o600)
        self._own()
        self._make()
        self.start()
        self._furnish()

    def start(self, *, tls: bool = True) -> None:
        self._process = self._spawn(self._command(tls=tls))
        until(self._answers, _START_SECONDS)

    def stop(self) -> None:
        """Kill it; connected clients are cut off."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT if self.key == "postgresql" else signal.SIGKILL)
            self._process.wait(20)

    @abstractmethod
    def sql(self, statement: str) -> str:
        """What the server's own client answers `ada`."""

    @abstractmethod
    def administer(self, statement: str) -> str:
        """What it answers the administrator."""

    @abstractmethod
    def _make(self) -> None: ...

    @abstractmethod
    def _command(self, *, tls: bool) -> list[str]: ...

    @abstractmethod
    def _furnish(self) -> None: ...

    @abstractmethod
    def _answers(self) -> bool: ...

    def _own(self) -> None:
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, self.system_user)

    def _spawn(self, words: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._as_user()
            )

    def _run(self, words: list[str], env: dict[str, str] | None = None, check: bool = True) -> str:
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            **self._as_user(),
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip() if done.returncode == 0 else ""

    def _as_user(self) -> dict[str, Any]:
        own = {"user": self.system_user, "group": self.system_user, "extra_groups": []}
        return own if os.geteuid() == 0 else {}


def _postgres_programs() -> Path | None:
    """The folder of the newest server programs; Debian keeps them off the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    folders += [Path(found).parent for found in [shutil.which("pg_isready")] if found]
    complete = [folder for folder in folders if (folder / "initdb").exists() and (folder / "psql").exists()]
    return complete[-1] if complete else None


class Postgres(DatabaseServer):
    """PostgreSQL, with passwords checked by SCRAM."""

    key, system_user = AppKey("postgresql"), "postgres"

    def sql(self, statement: str) -> str:
        return self._psql(USER, PASSWORD, DATABASE, statement)

    def administer(self, statement: str) -> str:
        return self._psql(ADMIN, ADMIN_PASSWORD, "postgres", statement)

    def _psql(self, user: str, password: str, database: str, statement: str) -> str:
        words = [self._program("psql"), "-qtAX", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1"]
        words += ["-p", str(self.port), "-U", user, "-d", database, "-c", statement]
        return self._run(words, {"PGPASSWORD": password})

    def _make(self) -> None:
        (self.folder / "password").write_text(ADMIN_PASSWORD)
        self._own()
        self._run(
            [
                self._program("initdb"),
                "-D",
                "data",
                "-U",
                ADMIN,
                "-A",
                "scram-sha-256",
                "--no-sync",
                "--pwfile=password",
                "-E",
                "UTF8",
                "--locale=C",
            ]
        )

    def _command(self, *, tls: bool) -> list[str]:
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",
            "ssl": "on" if tls else "off",
            "ssl_cert_file": self.folder / "server.pem",
            "ssl_key_file": self.folder / "server.key",
        }
        given = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [self._program("postgres"), "-D", "data", *given]

    def _furnish(self) -> None:
        self.administer(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
        self.administer(f"CREATE DATABASE {DATABASE} OWNER {USER}")

    def _answers(self) -> bool:
        ready = [self._program("pg_isready"), "-h", "127.0.0.1", "-p", str(self.port)]
        return bool(self._run(ready, check=False))

    def _program(self, name: str) -> str:
        folder = _postgres_programs()
        assert folder is not None
        return str(folder / name)


class MariaDb(DatabaseServer):
    """MariaDB, with native passwords."""

    key, system_user = AppKey("mysql"), "mysql"

    def sql(self, statement: str) -> str:
        return self._client(
            ["-h", "127.0.0.1", "-P", str(self.port), "-u", USER, DATABASE], PASSWORD, statement
        )

    def administer(self, statement: str) -> str:
        return self._client(["-S", str(self.folder / "socket"), "-u", "root"], "", statement)

    def _client(self, words: list[str], password: str, statement: str) -> str:
        client = ["mariadb", "--no-defaults", "--default-character-set=utf8mb4", "-N", "-B"]
        return self._run([*client, *words, "-e", statement], {"MYSQL_PWD": password})

    def _make(self) -> None:
        self._run(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={self.folder}/data",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ]
        )

    def _command(self, *, tls: bool) -> list[str]:
        program = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
        files = [f"--ssl-cert={self.folder}/server.pem", f"--ssl-key={self.folder}/server.key"]
        return [
            program,
            "--no-defaults",
            f"--datadir={self.folder}/data",
            f"--socket={self.folder}/socket",
            f"--port={self.port}",
            "--bind-address=127.0.0.1",
            "--innodb-flush-log-at-trx-commit=0",
            f"--pid-file={self.folder}/pid",
            *(files if tls else []),
        ]

    def _furnish(self) -> None:
        self.administer(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4")
        self.administer(f"CREATE USER {USER}@localhost IDENTIFIED BY '{PASSWORD}'")
        self.administer(f"GRANT ALL ON {DATABASE}.* TO {USER}@localhost")

    def _answers(self) -> bool:
        ping = ["mariadb-admin", "--no-defaults", "-S", str(self.folder / "socket"), "-u", "root", "ping"]
        return bool(self._run(ping, check=False))


def why_no_postgres() -> str:
    """Why PostgreSQL cannot run here; empty when it can."""
    there = _postgres_programs() is not None and _may_run(Postgres)
    return "" if there else "PostgreSQL is not installed (Debian: postgresql)"


def why_no_mariadb() -> str:
    """Why MariaDB cannot run here; empty when it can."""
    there = shutil.which("mariadb-install-db") and shutil.which("mariadb") and _may_run(MariaDb)
    return "" if there else "MariaDB is not installed (Debian: mariadb-server)"


def _may_run(kind: type[DatabaseServer]) -> bool:
    """Whether there is somebody to run it: we ourselves, or for root the user that its package makes."""
    import pwd  # not on Windows, where no database is started

    return os.geteuid() != 0 or any(user.pw_name == kind.system_user for user in pwd.getpwall())


@contextmanager
def running(kind: type[DatabaseServer]) -> Iterator[DatabaseServer]:
    """A server of this kind while the block runs. Its folder is one that its user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="patchbay-db-"))
    folder.chmod(0o755)
    server = kind(folder)
    try:
        server.set_up()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
