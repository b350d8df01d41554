"""The listening socket: uvicorn inside an asyncio loop that already runs."""

import asyncio
import contextlib
import errno
import logging
import math
import os
import socket
import ssl
from collections.abc import Callable, Generator
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from patchbay.domain.errors import AppError, Conflict, Forbidden, Unreachable, ValidationFailed
from patchbay.server.connection_limits import DEFAULT_LIMITS, ConnectionLimits
from patchbay.server.event_streams import EventStreams
from patchbay.server.http_protocol import HttpProtocol, drop_least_needed
from patchbay.server.middleware import (
    LOOPBACK_NAMES,
    ClientAddress,
    HostCheck,
    PublicHosts,
    RequestHeadCheck,
    SecureHeaders,
    no_public_hosts,
)
from patchbay.server.proxies import NO_PROXIES, TrustedProxies

# MERGED: The certificate of the service.


def tls_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """TLS 1.2 and newer with this certificate; without `key`, the key is in the same file.

    Raises `ValidationFailed` in words for files that cannot be read or do not fit each other.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_reject_passphrase)
    except _KeyNeedsPassphrase:
        raise _tls_error(
            key or certificate, "is locked with a passphrase",
            "Nobody is there to enter it when the service starts by itself.",
            "Save the key without a passphrase (openssl pkey -in KEY -out NEW), readable for this user only.",
        ) from None  # fmt: skip
    except ssl.SSLError as error:
        raise _certificate_error(certificate, key, error) from error
    except OSError as error:
        raise _file_error(certificate, key, error) from error
    return context


class _KeyNeedsPassphrase(Exception):
    """The key asks for a passphrase."""


def _reject_passphrase() -> str:
    raise _KeyNeedsPassphrase


def _certificate_error(certificate: Path, key: Path | None, error: ssl.SSLError) -> AppError:
    if error.reason == "KEY_VALUES_MISMATCH":
        return _tls_error(
            key or certificate, f"does not belong to the certificate {certificate}",
            "The key and the certificate were not made together.", "Give the key of this certificate.",
        )  # fmt: skip
    return _tls_error(
        certificate, "cannot be used for TLS" + (f" together with {key}" if key else ""),
        "It is not a certificate in PEM form, or holds no private key.",
        "Give the chain as PEM with --tls-cert (own certificate first) and its key with --tls-key.",
    )  # fmt: skip


def _file_error(certificate: Path, key: Path | None, error: OSError) -> AppError:
    missing = [path for path in (certificate, key) if path is not None and not path.is_file()]
    message = "is not there" if missing else f"cannot be read: {error.strerror}"
    return _tls_error(
        missing[0] if missing else certificate, message, "Without it nothing can be encrypted.",
        "Check the path, and that this user may read the file.",
    )  # fmt: skip


def _tls_error(path: Path, message: str, meaning: str, todo: str) -> ValidationFailed:
    happened = f"The file {path} {message}."
    return ValidationFailed({"tls": [happened]}, happened=happened, meaning=meaning, todo=todo)


# MERGED: Accepts connections one after the other, and waits while the system has no file descriptors
# left.

log = logging.getLogger(__name__)

_NO_RESOURCES = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_INITIAL_PAUSE, _MAX_PAUSE = 0.05, 1.0
"""Seconds between attempts while nothing can be accepted; doubled each time."""

ProtocolFactory = Callable[[], asyncio.Protocol]


class Acceptor:
    """Hands the connections of a listening socket to protocols, encrypted when `tls` is given.

    `make_room` is called when there is no descriptor for a newcomer, to close a connection to spare. Of the
    callers that haven't agreed on the encryption yet, `max_handshakes` are kept; the oldest gives way.
    """

    def __init__(
        self, sock: socket.socket, protocols: ProtocolFactory, make_room: Callable[[], object],
        tls: ssl.SSLContext | None = None, handshake_seconds: float | None = None, max_handshakes: int = 200,
    ) -> None:  # fmt: skip
        sock.setblocking(False)
        self._sock, self._protocols, self._make_room = sock, protocols, make_room
        self._tls, self._handshake_seconds = tls, handshake_seconds
        self._max_handshakes = max_handshakes
        self._handshakes: dict[asyncio.Task[None], None] = {}
        self._accepting = asyncio.create_task(self._accept(), name="patchbay-accept")

    def close(self) -> None:
        """Accept nothing new; connections that are there stay."""
        self._accepting.cancel()
        for task in tuple(self._handshakes):
            task.cancel()

    async def wait_closed(self) -> None:
        await asyncio.gather(self._accepting, *self._handshakes, return_exceptions=True)

    async def _accept(self) -> None:
        pause = _INITIAL_PAUSE
        while True:
            try:
                await self._accept_one()
            except OSError as error:
                log.warning("No connection can be accepted: %s", error.strerror)
            except Exception:
                log.exception("Accepting a connection failed")  # the next one may succeed
            else:
                pause = _INITIAL_PAUSE
                # Accepting at once doesn't wait, and others have a turn between two callers.
                await asyncio.sleep(0)
                continue
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MAX_PAUSE)

    async def _accept_one(self) -> None:
        try:
            connection, _ = await asyncio.get_running_loop().sock_accept(self._sock)
        except ConnectionError:  # the caller is gone already; those behind it must not wait for that
            return
        except OSError as error:
            if error.errno in _NO_RESOURCES:
                self._make_room()
            raise
        self._start_handshake(connection)

    def _start_handshake(self, connection: socket.socket) -> None:
        task = asyncio.create_task(self._handshake(connection))
        self._handshakes[task] = None
        task.add_done_callback(lambda done: self._handshakes.pop(done, None))
        if len(self._handshakes) > self._max_handshakes:
            next(iter(self._handshakes)).cancel()

    async def _handshake(self, connection: socket.socket) -> None:
        """Make a connection ready for its first request. What fails before that is the caller's alone."""
        with contextlib.suppress(OSError, EOFError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocols, connection, ssl=self._tls, ssl_handshake_timeout=self._handshake_seconds
            )


_BACKLOG = 1024
_TICK_SECONDS = 1.0


class HttpListener:
    """Serves an application at an address, encrypted when `tls` is given.

    `port` 0 takes any free one. `public_hosts` gives the names by which others reach the service. On a
    loopback host only requests addressed to this computer or to one of them are answered; on other hosts,
    any name is good as long as there is none of them. `proxies` may say for whom they call.
    """

    def __init__(
        self, app: FastAPI, host: str, port: int, *, public_hosts: PublicHosts = no_public_hosts,
        tls: ssl.SSLContext | None = None, limits: ConnectionLimits = DEFAULT_LIMITS,
        proxies: TrustedProxies = NO_PROXIES,
    ) -> None:  # fmt: skip
        self._host, self._port, self._scheme = host, port, "https" if tls else "http"
        self._events: EventStreams = app.state.events
        checked = HostCheck(app, public_hosts, loopback=host in LOOPBACK_NAMES)
        outermost = ClientAddress(SecureHeaders(RequestHeadCheck(checked, limits.head_length)), proxies)
        config = uvicorn.Config(
            outermost, lifespan="off",
            http=type("Protocol", (HttpProtocol,), {"limits": limits}), ws="none", log_config=None,
            access_log=False, proxy_headers=False, server_header=False,
            timeout_keep_alive=math.ceil(limits.keep_alive_seconds), log_level="error",
            h11_max_incomplete_event_size=limits.head_length,
        )  # fmt: skip
        self._server = _Server(config, tls, limits)
        self._serving: asyncio.Task[None] | None = None

    @property
    def open_connections(self) -> int:
        """How many callers are connected."""
        return len(self._server.server_state.connections)

    async def start(self) -> str:
        """Listen; returns the base address once it answers. Raises an `AppError` when the port is taken."""
        sock = _bind(self._host, self._port)
        port = sock.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve([sock]), name="patchbay-http")
        ready = asyncio.create_task(self._server.ready.wait())
        await asyncio.wait((ready, self._serving), return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._serving.done():
            await self._serving
            raise Unreachable(f"Nothing could be started on port {port}.", todo="Look at the log.")
        return f"{self._scheme}://{url_host(self._host)}:{port}"

    async def stop(self, grace: float = 5.0) -> None:
        """Take no new requests, finish those under way within `grace` seconds, and close."""
        if self._serving is None:
            return
        self._events.close()
        self._server.config.timeout_graceful_shutdown = max(1, math.ceil(grace))
        self._server.request_exit()
        await self._serving
        self._serving = None
        for connection in list(self._server.server_state.connections):
            connection.transport.abort()


class _Server(uvicorn.Server):
    """uvicorn without signal handlers, with events for "it answers now" and "stop", and a slow tick."""

    def __init__(self, config: uvicorn.Config, tls: ssl.SSLContext | None, limits: ConnectionLimits) -> None:
        super().__init__(config)
        self._tls, self._handshake_timeout = tls, limits.handshake_seconds if tls else None
        self._max_connections = limits.connections
        self.ready = asyncio.Event()
        self._exit_requested = asyncio.Event()

    def request_exit(self) -> None:
        self.should_exit = True
        self._exit_requested.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Like uvicorn's, with an accept loop that stays calm, and a limit on agreeing on the encryption."""
        self.servers: list[Acceptor] = [  # type: ignore[assignment]
            Acceptor(
                sock,
                self._protocol,
                self._make_room,
                self._tls,
                self._handshake_timeout,
                max_handshakes=max(2, self._max_connections // 2),
            )
            for sock in sockets or ()
        ]
        self.started = True
        self.ready.set()

    def _protocol(self) -> HttpProtocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg, return-value]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def _make_room(self) -> None:
        drop_least_needed(self.server_state.connections)

    async def main_loop(self) -> None:
        """Refresh the date header once a second; uvicorn's own loop wakes ten times and leaves later."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._exit_requested.wait()


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every answer with a body waits 40 ms.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would let two programs share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise _bind_error(host, port, error) from error
    return sock


def _bind_error(host: str, port: int, error: OSError) -> AppError:
    todo = "Choose another port with --port, or 0 for any free one."
    if error.errno == errno.EADDRINUSE:
        meaning = "Another program, perhaps another Patchbay, listens there."
        return Conflict(f"Port {port} on {host} is already in use.", meaning=meaning, todo=todo)
    if error.errno == errno.EACCES:
        meaning = "The system keeps ports below 1024 for programs with special rights."
        return Forbidden(f"Port {port} on {host} may not be used.", meaning=meaning, todo=todo)
    return Unreachable(
        f"The address {host}, port {port}, cannot be listened on: {error.strerror}.",
        todo="Choose an address of this computer with --host; 127.0.0.1 always works.",
    )


def url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
