"""The parts of `packaging/server/compose.yaml` as processes of this computer, without containers."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml
from tests.support.databases import ADMIN, ADMIN_PASSWORD, Postgres
from tests.support.patience import STARTING
from tests.support.ports import free_port
from tests.support.processes import Done, program, run, until

SERVER = Path(__file__).resolve().parents[2] / "packaging" / "server"
HOST = "flows.example.org"
_VARIABLE = re.compile(r"\$\{PATCHBAY_HOST:\?[^}]*\}")
_BLOCK = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def compose() -> dict[str, Any]:
    """The compose file, with its anchors resolved."""
    document: dict[str, Any] = yaml.safe_load((SERVER / "compose.yaml").read_text("utf-8"))
    return document


def blocks(page: Path) -> list[list[str]]:
    """The lines of each block of shell commands on a page."""
    return [
        [line.strip() for line in body.replace("\\\n", "").splitlines() if line.strip()]
        for _, body in _BLOCK.findall(page.read_text("utf-8"))
    ]


class ComposePostgres(Postgres):
    """The database of the compose file: its settings, its archive, and the role `patchbay`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.archive = folder / "archive"
        self.archive.mkdir()
        self.password = ""

    def command_of(self, words: Sequence[str]) -> list[str]:
        """Words of the image's command line, with the folders of this computer."""
        return [word.replace("/archive", str(self.archive)) for word in words]

    def _command(self, *, tls: bool) -> list[str]:
        given = self.command_of(compose()["services"]["database"]["command"][1:])
        return [*super()._command(tls=False), "-c", "fsync=on", *given]

    def _furnish(self) -> None:
        pass

    def create_database(self, password: str) -> None:
        """Create what the image creates at its first start, with the password from the secret."""
        if not self.password:
            self.password = password
            create_database(self, password)

    def stop_gently(self) -> None:
        """Stop as `docker compose stop` does: a fast shutdown."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        assert self._process.wait(STARTING) == 0

    def restore(self, settings: str) -> None:
        """Replace the data by the base backup, with these settings for its recovery."""
        data = self.folder / "data"
        shutil.rmtree(data)
        shutil.copytree(self.archive / "base", data)
        with (data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.write(" ".join(self.command_of([settings])))
        (data / "recovery.signal").touch()
        self._own()
        data.chmod(0o700)

    def client(self, words: Sequence[str]) -> str:
        """What a client program of PostgreSQL prints."""
        address = {"PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGPASSWORD": self.password}
        if "--username=postgres" in words:  # the superuser, who needs no password inside of the container
            words = [word.replace("=postgres", f"={ADMIN}") for word in words]
            address["PGPASSWORD"] = ADMIN_PASSWORD
        return self._run([self._program(words[0]), *self.command_of(words[1:])], address)

    def query(self, statement: str) -> list[list[str]]:
        """The rows of a query, as text."""
        printed = self.client(
            ["psql", "-qtAX", "-v", "ON_ERROR_STOP=1", "-U", "patchbay", "-d", "patchbay", "-c", statement]
        )
        return [line.split("|") for line in printed.splitlines()]


def create_database(server: Postgres, password: str) -> None:
    """Run the script of the compose file on a server, as its image does."""
    quoted = password.replace("'", "''")
    server.administer(f"CREATE ROLE postgres SUPERUSER LOGIN PASSWORD '{quoted}'")
    run_script(server, password, password)


def run_script(server: Postgres, password: str, password_of_superuser: str) -> None:
    """Run the script on a server with a superuser `postgres`."""
    image = {"POSTGRES_USER": "postgres", "POSTGRES_PASSWORD": password}
    address = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGPASSWORD": password_of_superuser}
    script = SERVER / "create-database.sh"
    subprocess.run(["sh", str(script)], check=True, env={**os.environ, **image, **address}, timeout=60)


class Part:
    """A service of the compose file."""

    def __init__(self, name: str, words: Sequence[str], check: str, folder: Path, **env: str) -> None:
        self.name, self._words, self._check = name, words, check
        self._said = folder / f"{name}.log"
        self._env = {**os.environ, **env}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def said(self) -> str:
        """All that it printed."""
        return self._said.read_text("utf-8")

    def start(self) -> None:
        """Start it, and wait until its health check succeeds."""
        with self._said.open("ab") as output:
            self._process = subprocess.Popen(
                self._words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=self._env
            )
        until(self._is_healthy, seconds=STARTING)

    def stop(self) -> None:
        """Stop it with SIGTERM, as the container runtime does. It must end by itself, without error."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            code = self._process.wait(STARTING)
            assert code == 0, f"{self.name} ended with {code}: {self.said}"

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _is_healthy(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, f"{self.name} has ended: {self.said}"
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(self._check, headers={"host": HOST}, timeout=10).status_code == 200
        return False


class Machines:
    """Carries out the commands of the operator's pages: of containers, only what they run."""

    def __init__(self, folder: Path, database: ComposePostgres) -> None:
        self.folder, self.database = folder, database
        self._secrets = folder / "secrets"
        services = compose()["services"]
        self._ports = {name: free_port() for name in services}
        self.address = f"http://127.0.0.1:{self._ports['proxy']}"
        self.parts: dict[str, Part] = {
            name: self._proxy() if name == "proxy" else self._program_part(name, service["command"])
            for name, service in services.items()
            if name != "database"
        }

    def stop(self) -> None:
        """End all parts."""
        for part in self.parts.values():
            part.kill()

    def carry_out(self, line: str) -> Done:
        """One command of a page."""
        words = shlex.split(line.replace("$PWD", str(self.folder)))
        match words:
            case ["chown", *_]:
                return Done(0, "", "")  # to users of the images
            case ["docker", "run", *rest]:
                return self._patchbay(rest[rest.index("patchbay") + 1 :])
            case ["docker", "compose", *rest]:
                return self._compose(rest)
        subprocess.run(line, shell=True, check=True, cwd=self.folder, timeout=60)
        return Done(0, "", "")

    def _compose(self, words: Sequence[str]) -> Done:
        match words:
            case ["build"]:
                pass  # there are no images
            case ["up", "--detach", "--wait", *rest]:
                self._up([word for word in rest if not word.startswith("--")])
            case ["stop", *names]:
                for name in names:
                    self._stop(name)
            case ["restart", *names]:
                for name in names:
                    self._stop(name)
                self._up(names)
            case ["exec", "--user", "postgres", "database", *client]:
                return Done(0, self.database.client(client), "")
            case ["exec", name, "patchbay", "--data-dir", _, *rest]:
                return run(program(*rest, data=self._data(name)))
            case ["run", "--rm", "--no-deps", name, *rest]:
                return run(program(*self._translated(name, rest), data=self._data(name)))
            case _:
                raise AssertionError(f"unknown: docker compose {words}")
        return Done(0, "", "")

    def _up(self, names: Sequence[str]) -> None:
        if not names:
            self.database.create_database((self._secrets / "database-password").read_text().strip())
        for name in names or self.parts:
            if name == "database":
                self.database.start(tls=False)
                continue
            self.parts[name].stop()
            self.parts[name].start()

    def _stop(self, name: str) -> None:
        if name == "database":
            self.database.stop_gently()
        else:
            self.parts[name].stop()

    def _patchbay(self, words: Sequence[str]) -> Done:
        return run(program(*(word.replace("/secrets/", f"{self._secrets}/") for word in words)))

    def _program_part(self, name: str, command: Sequence[str]) -> Part:
        words = program(*self._translated(name, command), data=self._data(name))
        return Part(name, words, f"http://127.0.0.1:{self._ports[name]}/healthcheck", self.folder)

    def _translated(self, name: str, command: Sequence[str]) -> list[str]:
        """A command of the compose file with the addresses and folders of this computer."""
        places = {
            "@database/": f"@127.0.0.1:{self.database.port}/",
            "/run/secrets/": f"{self._secrets}/",
            "host=0.0.0.0": "host=127.0.0.1",
            "port=8787": f"port={self._ports[name]}",
            compose()["services"]["proxy"]["networks"]["default"]["ipv4_address"]: "127.0.0.1",
        }
        words = list(command)
        for old, new in places.items():
            words = [word.replace(old, new) for word in words]
        return [_VARIABLE.sub(HOST, word) for word in words]

    def _proxy(self) -> Part:
        servers = re.sub(
            r"(serve-\d):8787",
            lambda found: f"127.0.0.1:{self._ports[found[1]]}",
            compose()["services"]["proxy"]["environment"]["PATCHBAY_SERVERS"],
        )
        return Part(
            "proxy",
            ["caddy", "run", "--adapter", "caddyfile", "--config", str(SERVER / "Caddyfile")],
            f"{self.address}/healthcheck",
            self.folder,
            PATCHBAY_SITE=f"http://{HOST}:{self._ports['proxy']}",
            PATCHBAY_HOST=HOST,
            PATCHBAY_SERVERS=servers,
            PATCHBAY_PROXY_BIND="127.0.0.1",
            PATCHBAY_PROXY_ADMIN=f"127.0.0.1:{free_port()}",
            XDG_DATA_HOME=str(self.folder / "caddy"),
            XDG_CONFIG_HOME=str(self.folder / "caddy"),
        )

    def _data(self, name: str) -> Path:
        return self.folder / f"{name}-data"


@contextlib.contextmanager
def machines(folder: Path, database: ComposePostgres) -> Iterator[Machines]:
    """The parts while the block runs; none of them is started yet."""
    found = Machines(folder, database)
    try:
        yield found
    finally:
        found.stop()
