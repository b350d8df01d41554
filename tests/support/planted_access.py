"""What opens the interface, planted: made in every way there is, used, mailed, and guessed at."""

import re
import socketserver
import ssl
import threading
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import uuid4

import httpx
from tests.support import flow_files as files
from tests.support.processes import Service

_OWN = uuid4().hex
CANARY = f"CANARY-{_OWN}"
"""No secret: the name of a key, of a person and of a flow."""
MAIL_PASSWORD = f"PLANTED mail password {_OWN}"
PROXY_PASSWORD = f"PLANTED-proxy/password+{_OWN}"
PASSPHRASE = f"PLANTED passphrase of 8 words and more {_OWN}"
WRONG = f"PLANTED-wrong-key-{_OWN}"
QUERY = f"PLANTED-key-in-a-query-{_OWN}"
BEARER = f"PLANTED-authorization-{_OWN}"
COOKIE = f"PLANTED-cookie-{_OWN}"
BODY = f"PLANTED-key-in-a-body-{_OWN}"
GUESSES = (WRONG, QUERY, BEARER, COOKIE, BODY)


class _Mailed(socketserver.StreamRequestHandler):
    """As much SMTP as a letter needs."""

    def handle(self) -> None:
        self._say("220 here")
        for raw in self.rfile:
            word = raw.decode("utf-8", "replace").split(" ")[0].strip().upper()
            if word == "EHLO":
                self._say("250-here\r\n250 AUTH PLAIN")
            elif word == "AUTH":
                self._say("235 welcome")
            elif word == "DATA":
                self._letter()
            elif word == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 fine")

    def _letter(self) -> None:
        self._say("354 go on")
        lines = []
        for raw in self.rfile:
            if raw.strip() == b".":
                break
            lines.append(raw.decode("utf-8", "replace").rstrip("\r\n"))
        assert isinstance(self.server, MailServer)
        self.server.letters.append("\n".join(lines))
        self._say("250 taken")

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    """Takes letters while the block runs."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Mailed)
        self.letters: list[str] = []
        self.port = int(self.server_address[1])

    def __enter__(self) -> "MailServer":
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()


def trusting(folder: Path) -> ssl.SSLContext:
    """Believes the authority of `tests.support.certificates` alone."""
    return ssl.create_default_context(cafile=str(folder / "authority.pem"))


def private_lines(key: Path) -> tuple[str, ...]:
    """The lines of a private key in PEM that hold it."""
    lines = key.read_text().splitlines()
    return tuple(line for line in lines if "PRIVATE KEY" not in line and len(line) > 40)


def token_in(text: str) -> str:
    """The token of the link in a letter, an answer or what a command printed."""
    found = re.search(r"accept-invitation\?token=([0-9a-f]{64})", text.replace("=\n", "").replace("=3D", "="))
    assert found is not None, text
    return found[1]


def key_on(page: str) -> str:
    """The key that is shown to somebody who has come in."""
    found = re.search(r'id="key">([0-9a-f]{96})<', page)
    assert found is not None, page
    return found[1]


def connect_mail(http: httpx.Client, port: int) -> None:
    """Have invitations mailed."""
    data = {
        "screenName": "Letters",
        "host": "127.0.0.1",
        "port": str(port),
        "username": "ada@example.org",
        "password": MAIL_PASSWORD,
        "useTls": False,
    }
    made = http.post("/v1/connections", json={"appKey": "smtp", "formattedData": data})
    assert made.status_code == 201, made.text
    chosen = http.patch("/v1/service", json={"mailConnectionId": made.json()["data"]["id"]})
    assert chosen.status_code == 200, chosen.text


def published(service: Service, http: httpx.Client, folder: Path) -> str:
    """A flow that a webhook starts; its id."""
    document = files.flow(CANARY, files.catch(), files.trimmed("{{step.#1.headers}} {{step.#1.body}}"))
    made = service.command("flow", "import", files.write(folder / "flow.json", [document]), "--json")
    assert made.code == 0, made.err
    [flow] = made.json if isinstance(made.json, list) else [made.json]
    for step in http.get(f"/v1/flows/{flow['id']}").json()["data"]["steps"]:
        http.post(f"/v1/steps/{step['id']}/skip-test").raise_for_status()
    http.patch(f"/v1/flows/{flow['id']}/status", json={"active": True}).raise_for_status()
    return str(flow["id"])


def guesses(address: str, trust: ssl.SSLContext) -> dict[str, Any]:
    """Everything somebody may try who has no key; the answers by what was tried."""
    wrong = {"x-api-token": WRONG, "authorization": f"Bearer {BEARER}", "cookie": f"key={COOKIE}"}
    tried: dict[str, Any] = {}
    with httpx.Client(base_url=address, verify=trust, timeout=30) as http:
        tried["nothing right"] = http.get("/v1/flows", headers=wrong, params={"api_key": QUERY})
        tried["a path"] = http.get(f"/v1/flows/{WRONG}", headers=wrong)
        tried["a body"] = http.post("/v1/api-keys", headers=wrong, json={"name": BODY, BODY: BODY})
        tried["no JSON"] = http.post("/v1/flows", headers=wrong, content=BODY.encode())
        tried["numbers"] = http.get("/metrics", headers={"authorization": f"Bearer {BEARER}"})
        tried["a link"] = http.get("/accept-invitation", params={"token": QUERY})
        tried["a form"] = http.post("/accept-invitation", data={"token": BODY})
        tried["no address"] = http.get("/v2/flows", headers=wrong, params={"token": QUERY})
        tried["no method"] = http.request(WRONG.replace("-", "")[:20], "/v1/flows", headers=wrong)
        tried["a test"] = http.get("/oauth/callback", params={"state": QUERY, "code": BODY})
        tried["too often"] = [http.get("/v1/flows", headers=wrong) for _ in range(10)][-1]
    return tried
