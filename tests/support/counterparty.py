"""A third party on this computer: a threaded HTTP service that wants an API key, as changedetection does."""

import json
import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

GOOD_KEY = "good-key-1234567890"
HELD_SECONDS = 10.0
REFUSAL = "The API key is not known here."


@dataclass(frozen=True)
class Call:
    """A request as it arrived; header names are lower-case."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


@dataclass
class Counterparty:
    """Accepts `key` in `x-api-key` under /api/v1; other paths need none; `answers` overrule by path.

    A document of bytes is sent as it is. /held is answered once `release` is set. With `certificate` (a file
    beside its `.key`) it speaks TLS.
    """

    key: str = GOOD_KEY
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    """More headers of the answers, by path."""
    seen: list[Call] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    certificate: Path | None = None

    def __post_init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.party = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        scheme = "http" if self.certificate is None else "https"
        self.address = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        if self.certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(self.certificate, self.certificate.with_suffix(".key"))
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )

    def paths(self) -> list[str]:
        return [call.path for call in self.seen]

    def answer(self, call: Call) -> tuple[int, Any]:
        if call.path.startswith("/api/v1") and call.headers.get("x-api-key") != self.key:
            return 403, {"message": REFUSAL}
        if call.path in self.answers:
            return self.answers[call.path]
        if call.path == "/api/v1/systeminfo":
            return 200, {"version": "0.50", "watch_count": 2}
        if call.path.startswith("/held"):
            self.release.wait(HELD_SECONDS)
        return 200, {"path": call.path, "received": call.body}

    def __enter__(self) -> "Counterparty":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    party: Counterparty

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that refuse the certificate end the connection; that is no news."""


class _Handler(BaseHTTPRequestHandler):
    """Reads the whole request, notes it, and answers JSON."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # head and body leave together
    server: _Server

    def answer_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(self.command, self.path, headers, body)
        self.server.party.seen.append(call)
        status, document = self.server.party.answer(call)
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        for name, value in self.server.party.headers.get(self.path, {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests look at `seen`; the terminal stays quiet."""


for _method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
    setattr(_Handler, f"do_{_method}", _Handler.answer_any)
