"""What opens the interface is nowhere but where it must be: keys, links, passwords, certificates, guesses."""

import asyncio
import json
import sqlite3
import ssl
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support import planted_access as planted
from tests.support.certificates import write_certificates
from tests.support.forms import long_form
from tests.support.planted import holds, in_files, in_processes
from tests.support.planted_access import CANARY, GUESSES, MAIL_PASSWORD, PASSPHRASE, PROXY_PASSWORD
from tests.support.processes import Done, Service, until
from tests.support.tiny_service import TinyProxy

from patchbay.bootstrap.known_servers import KnownServers
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest
from patchbay.domain.remote_options import parse_remote_options
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.service.key_stores import MemoryKeyStore

pytestmark = [
    long_form,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems show processes elsewhere"),
]

SHOWN = {"GET /v1/audit", "GET /v1/api-keys", "GET /v1/users", "live events", "api-key list", "user list"}
"""Where names are told, and so the canary."""


@dataclass
class Seen:
    """Everything that was printed and answered, by what said it; secrets by name; where they were found."""

    folder: Path
    outside: Path
    service: Service
    http: httpx.Client
    trust: ssl.SSLContext
    secrets: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    in_files: dict[str, list[str]] = field(default_factory=dict)
    in_processes: dict[str, list[str]] = field(default_factory=dict)
    canary: list[str] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)

    def command(self, *words: object) -> Done:
        done = self.service.command(*words)
        self.said[" ".join(map(str, words))] = done.out + done.err
        return done

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        answer = self.http.request(method, path, **more)
        self.said[f"{method} {path}"] = f"{answer.headers} {answer.text}"
        return answer

    def shown_once(self, name: str, secret: str, what: str) -> None:
        """What was just said is where this secret must be; nobody else may say it."""
        self.secrets[name] = secret
        assert secret in self.said.pop(what)

    def look(self, when: str) -> None:
        """In all files but `service.json`, which holds the token of this user's programs."""
        for name, secret in self.secrets.items():
            places = [place for place in in_files(self.folder, secret) if not place.endswith("service.json")]
            if places:
                self.in_files[f"{name} {when}"] = places


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder, outside = tmp_path_factory.mktemp("planted"), tmp_path_factory.mktemp("outside")
    write_certificates(outside)
    (outside / "passphrase").write_text(PASSPHRASE)
    (outside / "passphrase").chmod(0o600)
    options = "--debug", "--passphrase-file", str(outside / "passphrase")
    tls = "--tls-cert", outside / "server.pem", "--tls-key", outside / "server.key"
    trust = planted.trusting(outside)
    with planted.MailServer() as mail, Service(folder / "data", *options, serve=tls) as service:
        first = service.command("api-key", "create", "--json").json["key"]
        with httpx.Client(
            base_url=service.address, headers={"x-api-token": first}, verify=trust, timeout=30
        ) as http:
            made = Seen(folder, outside, service, http, trust, {"key of a command": first})
            attach = json.loads((folder / "data" / "service.json").read_text())
            made.secrets |= {
                "mail password": MAIL_PASSWORD,
                "passphrase": PASSPHRASE,
                "token": attach["token"],
            }
            with listening(made):
                opened(made)
                invited(made, mail)
                guessed(made)
            called(made)
            asyncio.run(elsewhere(made))
            shows(made)
            made.look("running")
            made.in_processes = {name: in_processes(secret) for name, secret in made.secrets.items()}
    made.look("stopped")
    made.said["last answers kept elsewhere"] = kept_elsewhere(folder / "other" / "cache")
    made.said["standard error"] = service.process.said
    made.canary = in_files(folder, CANARY)
    return made


@contextmanager
def listening(made: Seen) -> Iterator[None]:
    """Follow the live events meanwhile."""
    lines: list[str] = []
    over = threading.Event()

    def follow() -> None:
        with suppress(httpx.HTTPError), made.http.stream("GET", "/v1/events") as stream:
            for line in stream.iter_lines():
                lines.append(line)
                if over.is_set():
                    return

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    until(lambda: lines)
    yield
    over.set()
    made.ask("POST", "/v1/folders", json={"name": "The last thing that is told"})
    thread.join(20)
    made.said["live events"] = "\n".join(lines)


def opened(made: Seen) -> None:
    """Keys over HTTP, of nobody and of a person, one of them revoked after it was used."""
    eve = made.command("user", "create", "--name", f"Eve {CANARY}", "--email", "eve@example.org").out.strip()
    for name, body in (
        ("key over HTTP", {"name": CANARY}),
        ("key of a person", {"name": "E", "userId": eve}),
    ):
        answer = made.ask("POST", "/v1/api-keys", json=body)
        made.shown_once(name, answer.json()["meta"]["value"], "POST /v1/api-keys")
        used = made.ask("GET", "/v1/info", headers={"x-api-token": made.secrets[name]})
        made.statuses[name] = used.status_code
    revoked = made.ask("POST", "/v1/api-keys", json={"name": "Revoked", "scope": "read"})
    made.shown_once("revoked key", revoked.json()["meta"]["value"], "POST /v1/api-keys")
    made.ask("DELETE", f"/v1/api-keys/{revoked.json()['data']['id']}")
    key = {"x-api-token": made.secrets["revoked key"]}
    made.statuses["revoked key"] = made.ask("GET", "/v1/info", headers=key).status_code
    bearer = {"x-api-token": "", "authorization": f"Bearer {made.secrets['key over HTTP']}"}
    made.statuses["bearer"] = made.ask("GET", "/metrics", headers=bearer).status_code


def invited(made: Seen, mail: planted.MailServer) -> None:
    """Links by command, over HTTP and by mail; one is followed, and one withdrawn."""
    words = ("user", "invite", "--name", "Dana", "--email", "dana@example.org")
    made.shown_once("printed link", planted.token_in(made.command(*words).out), " ".join(words))
    planted.connect_mail(made.http, mail.port)
    person = {"fullName": f"Hugo {CANARY}", "email": "hugo@example.org"}
    role = made.http.get("/v1/roles").json()["data"][1]["id"]
    answer = made.ask("POST", "/v1/user-invitations", json={**person, "roleId": role})
    [letter] = mail.letters
    made.secrets["mailed link"] = planted.token_in(letter)
    made.said.pop("POST /v1/user-invitations")
    made.statuses["mailed link"] = answer.status_code
    page = made.http.post("/accept-invitation", data={"token": made.secrets["mailed link"]})
    made.secrets["key on the page"] = planted.key_on(page.text)
    again = made.http.post("/accept-invitation", data={"token": made.secrets["mailed link"]})
    made.said["the link once more"] = again.text
    key = {"x-api-token": made.secrets["key on the page"]}
    made.statuses["key on the page"] = made.ask("GET", "/v1/flows", headers=key).status_code


def guessed(made: Seen) -> None:
    """Keys that are none; what was tried is kept and told by nobody either."""
    made.secrets |= {f"guess {number}": guess for number, guess in enumerate(GUESSES)}
    for what, answer in planted.guesses(made.service.address, made.trust).items():
        made.said[what] = f"{answer.headers} {answer.text}"
        made.statuses[what] = answer.status_code


def called(made: Seen) -> None:
    """A caller sends a key of ours to a webhook, of all places."""
    flow = planted.published(made.service, made.http, made.folder)
    headers = {"x-api-token": made.secrets["key over HTTP"], "authorization": f"Bearer {planted.BEARER}"}
    answer = made.ask("POST", f"/webhooks/flows/{flow}", headers=headers, json={"canary": CANARY})
    made.statuses["webhook"] = answer.status_code

    def ended() -> list[Any]:
        runs = made.http.get("/v1/executions", params={"name": CANARY}).json()["data"]
        return runs if runs and all(run["finishedAt"] for run in runs) else []

    [run] = until(ended)
    made.ask("GET", f"/v1/executions/{run['id']}/execution-steps")


async def elsewhere(made: Seen) -> None:
    """From another computer: through a proxy with a password; what was seen is kept."""
    made.secrets["proxy password"] = PROXY_PASSWORD
    paths = AppPaths.choose(made.folder / "other")
    settings, proxy = SettingsFile(paths.settings), TinyProxy("ada", PROXY_PASSWORD)
    await proxy.start()
    known = KnownServers(paths, settings, MemoryKeyStore())
    typed = proxy.address.replace("://", f"://ada:{PROXY_PASSWORD.replace('/', '%2F')}@")
    way = parse_remote_options(proxy=typed, ca_file=str(made.outside / "authority.pem"))
    connected = await known.connect(made.service.address, made.secrets["key over HTTP"], way)
    known.add(connected)
    settings.save()
    backend = connected.backend
    page = PageRequest()
    await backend.list_flows(FlowFilter(), page)
    await backend.list_executions(ExecutionFilter(), page)
    made.said["repr"] = f"{backend!r} {connected!r} {way!r} {known.network()!r}"
    for answer in (
        await backend.list_api_keys(),
        await backend.list_invitations(),
        await backend.list_users(),
    ):
        made.said[f"from there: {len(made.said)}"] = repr(answer)
    copied = await backend.create_api_key("Made from there")
    made.secrets["key made from there"] = copied.value
    made.said["repr of a new key"] = repr(copied.key)
    await connected.close()
    await proxy.stop()
    made.said["heads at the proxy"] = "".join(head for head in proxy.heads if not head.startswith("CONNECT"))


def shows(made: Seen) -> None:
    """Have everything printed, answered and written that could tell."""
    passphrase = made.outside / "passphrase"
    for line, secret in enumerate(planted.private_lines(made.outside / "server.key")):
        made.secrets[f"private key {line}"] = secret
    for words in (["api-key", "list"], ["user", "list"], ["user", "list", "--invited", "--json"], ["doctor"]):
        made.command(*words)
    made.command("execution", "export", "--format", "jsonl", made.folder / "out.jsonl")
    made.command("--passphrase-file", passphrase, "backup", made.folder / "all.backup")
    for path in (
        "audit",
        "api-keys",
        "users",
        "user-invitations",
        "info",
        "health",
        "executions",
        "flows",
        "connections",
        "engine",
        "storage",
        "service",
        "secrets",
    ):
        made.ask("GET", f"/v1/{path}")
    for path in ("/metrics", "/openapi.json", "/docs", "/healthcheck"):
        made.ask("GET", path)
    (made.folder / "metrics").write_text(made.said["GET /metrics"])


def kept_elsewhere(cache: Path) -> str:
    """The last answers, which are packed."""
    [file] = cache.rglob("*.db")
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("SELECT question, body FROM answer").fetchall()
    return "\n".join(f"{question} {zlib.decompress(body).decode()}" for question, body in rows)


def test_everything_was_used_and_every_guess_refused(seen):
    wanted = {
        "key over HTTP": 200,
        "key of a person": 200,
        "revoked key": 401,
        "bearer": 200,
        "webhook": 204,
        "mailed link": 201,
        "key on the page": 200,
    }
    tried = {what: status for what, status in seen.statuses.items() if what not in wanted}

    assert {what: seen.statuses[what] for what in wanted} == wanted
    assert len(tried) == 11
    assert tried["too often"] == 429
    assert set(tried.values()) <= {400, 401, 404, 405, 429}
    assert len(set(seen.secrets.values())) == len(seen.secrets) >= 18


def test_nothing_that_opens_is_in_any_file(seen):
    assert seen.in_files == {}


def test_nothing_that_opens_is_in_the_words_or_the_environment_of_any_process(seen):
    assert {name: where for name, where in seen.in_processes.items() if where} == {}


def test_nothing_that_opens_is_printed_or_answered_but_once(seen):
    told = {
        (what, name)
        for what, text in seen.said.items()
        for name, secret in seen.secrets.items()
        if holds(text.encode(), secret)
    }

    assert told == set()


def test_the_search_looks_where_names_and_data_are(seen):
    """What is no secret and goes the same ways is found."""
    said = {what for what, text in seen.said.items() if CANARY in text}
    places = {place.removesuffix("-wal") for place in seen.canary}

    assert said >= SHOWN - {"live events"}
    assert "user" in seen.said["live events"]
    assert {"data/patchbay.db", "out.jsonl"} <= places
    assert "last answers kept elsewhere" in said
    assert (seen.folder / "all.backup").stat().st_size > 0
    assert "invalid keys from 127.0.0.1" in (seen.folder / "data" / "logs" / "patchbay.log").read_text()
    assert "ada@127.0.0.1" in (seen.folder / "other" / "settings.toml").read_text()
