"""The HTTP server: TLS certificates, accepting connections, and uvicorn in a running event loop."""

import asyncio
import contextlib
import errno
import logging
import math
import socket
import ssl
from collections.abc import Callable, Generator
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from patchbay.domain.errors import AppError, Unreachable, ValidationFailed
from patchbay.server.connection_limits import DEFAULT_LIMITS, ConnectionLimits
from patchbay.server.event_streams import EventStreams
from patchbay.server.host_names import LOOPBACK_NAMES
from patchbay.server.http_protocol import ConnectionDropper, HttpProtocol
from patchbay.server.listening_socket import bind, url_host
from patchbay.server.middleware import (
    ClientAddress,
    HostCheck,
    PublicHosts,
    RequestHeadCheck,
    SecureHeaders,
    no_public_hosts,
)
from patchbay.server.proxies import NO_PROXIES, TrustedProxies


def tls_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """Return a TLS context (1.2 and newer) for this certificate; without `key`, the key is in the same file.

    Raises `ValidationFailed` for files that can't be read or don't match.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_reject_passphrase)
    except _KeyNeedsPassphrase:
        raise _tls_error(
            key or certificate,
            "is protected by a passphrase",
            "The server can't ask for it when it starts.",
            "Save the key without a passphrase (openssl pkey -in KEY -out NEW), readable only by this user.",
        ) from None
    except ssl.SSLError as error:
        raise _certificate_error(certificate, key, error) from error
    except OSError as error:
        missing = [path for path in (certificate, key) if path is not None and not path.is_file()]
        raise _tls_error(
            missing[0] if missing else certificate,
            "doesn't exist" if missing else f"can't be read: {error.strerror}",
            "The server can't use TLS without it.",
            "Check the path and the file's permissions.",
        ) from error
    return context


class _KeyNeedsPassphrase(Exception):
    """The key is protected by a passphrase."""


def _reject_passphrase() -> str:
    raise _KeyNeedsPassphrase


def _certificate_error(certificate: Path, key: Path | None, error: ssl.SSLError) -> AppError:
    if error.reason == "KEY_VALUES_MISMATCH":
        return _tls_error(
            key or certificate,
            f"doesn't match the certificate {certificate}",
            "They belong to different key pairs.",
            "Use the key of this certificate.",
        )
    return _tls_error(
        certificate,
        "can't be used for TLS" + (f" together with {key}" if key else ""),
        "It isn't a certificate in PEM format, or it contains no private key.",
        "Pass the certificate chain in PEM format with --tls-cert (server certificate first), "
        "and its key with --tls-key.",
    )


def _tls_error(path: Path, message: str, meaning: str, todo: str) -> ValidationFailed:
    happened = f"The file {path} {message}."
    return ValidationFailed({"tls": [happened]}, happened=happened, meaning=meaning, todo=todo)


log = logging.getLogger(__name__)

_NO_RESOURCES = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_INITIAL_PAUSE, _MAX_PAUSE = 0.05, 1.0
"""Seconds between attempts while nothing can be accepted; doubled each time."""

ProtocolFactory = Callable[[], asyncio.Protocol]


class Acceptor:
    """Accepts the connections of a listening socket, with TLS if `tls` is given.

    Calls `make_room` to close a connection when the process is out of file descriptors. Keeps at most
    `max_handshakes` connections whose TLS handshake isn't finished; the oldest is closed.
    """

    def __init__(
        self,
        sock: socket.socket,
        protocols: ProtocolFactory,
        make_room: Callable[[], object],
        tls: ssl.SSLContext | None = None,
        handshake_seconds: float | None = None,
        max_handshakes: int = 200,
    ) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._protocols = protocols
        self._make_room = make_room
        self._tls, self._handshake_seconds = tls, handshake_seconds
        self._max_handshakes = max_handshakes
        self._handshakes: dict[asyncio.Task[None], None] = {}
        self._accepting = asyncio.create_task(self._accept(), name="patchbay-accept")

    def close(self) -> None:
        """Stop accepting; open connections stay open."""
        self._accepting.cancel()
        for task in tuple(self._handshakes):
            task.cancel()

    async def wait_closed(self) -> None:
        """Return when no connection is being accepted any more."""
        await asyncio.gather(self._accepting, *self._handshakes, return_exceptions=True)

    async def _accept(self) -> None:
        pause = _INITIAL_PAUSE
        while True:
            try:
                await self._accept_one()
            except OSError as error:
                log.warning("Can't accept connections: %s", error.strerror)
            except Exception:
                log.exception("Accepting a connection failed")  # the next one may succeed
            else:
                pause = _INITIAL_PAUSE
                # `sock_accept` may return without waiting; give other tasks a turn between two connections.
                await asyncio.sleep(0)
                continue
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MAX_PAUSE)

    async def _accept_one(self) -> None:
        try:
            connection, _ = await asyncio.get_running_loop().sock_accept(self._sock)
        except ConnectionError:  # the client has already disconnected; don't make others wait
            return
        except OSError as error:
            if error.errno in _NO_RESOURCES:
                self._make_room()
            raise
        self.add(connection)

    def add(self, connection: socket.socket) -> None:
        """Serve a connection that was accepted."""
        task = asyncio.create_task(self._handshake(connection))
        self._handshakes[task] = None
        task.add_done_callback(lambda done: self._handshakes.pop(done, None))
        if len(self._handshakes) > self._max_handshakes:
            next(iter(self._handshakes)).cancel()

    async def _handshake(self, connection: socket.socket) -> None:
        """Finish the TLS handshake and start the protocol. Failures before that concern this client only."""
        with contextlib.suppress(OSError, EOFError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocols, connection, ssl=self._tls, ssl_handshake_timeout=self._handshake_seconds
            )


_CONNECTIONS_PER_DROPPED = 40
"""For one of so many connections, another to close is picked at the same time."""
_TICK_SECONDS = 1.0


class HttpListener:
    """Serves an application at an address, with TLS if `tls` is given.

    `port` 0 uses any free port. `public_hosts` returns the public host names of the server. On a loopback
    host, only requests to this computer or one of these names are served; on other hosts, any name is
    accepted while there are no public names. `proxies` may forward the client's address.
    """

    def __init__(
        self,
        app: FastAPI,
        host: str,
        port: int,
        *,
        public_hosts: PublicHosts = no_public_hosts,
        tls: ssl.SSLContext | None = None,
        limits: ConnectionLimits = DEFAULT_LIMITS,
        proxies: TrustedProxies = NO_PROXIES,
    ) -> None:
        self._host = host
        self._port = port
        self._scheme = "https" if tls else "http"
        self._events: EventStreams = app.state.events
        checked = HostCheck(app, public_hosts, loopback=host in LOOPBACK_NAMES)
        dropper = ConnectionDropper(batch=max(1, limits.connections // _CONNECTIONS_PER_DROPPED))
        outermost = ClientAddress(SecureHeaders(RequestHeadCheck(checked, limits.head_length)), proxies)
        config = uvicorn.Config(
            outermost,
            lifespan="off",
            http=type("Protocol", (protocol_class(),), {"limits": limits, "dropper": dropper}),
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=math.ceil(limits.keep_alive_seconds),
            log_level="error",
            h11_max_incomplete_event_size=limits.head_length,
        )
        self._server = _Server(config, tls, limits, dropper)
        self._serving: asyncio.Task[None] | None = None

    @property
    def open_connections(self) -> int:
        """The number of open connections."""
        return len(self._server.server_state.connections)

    async def start(self, sock: socket.socket | None = None, first: socket.socket | None = None) -> str:
        """Start serving and return the base URL. Raises an `AppError` if the port is in use.

        `sock` is a socket that already listens, and `first` a connection that it has accepted.
        """
        sock = sock or bind(self._host, self._port)
        self._server.first_connection = first
        port = sock.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve([sock]), name="patchbay-http")
        ready = asyncio.create_task(self._server.ready.wait())
        await asyncio.wait((ready, self._serving), return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._serving.done():
            await self._serving
            raise Unreachable(f"The server couldn't start on port {port}.", todo="See the log.")
        return f"{self._scheme}://{url_host(self._host)}:{port}"

    async def stop(self, grace: float = 5.0) -> None:
        """Stop accepting requests, give running ones `grace` seconds to finish, and close."""
        if self._serving is None:
            return
        self._events.close()
        self._server.config.timeout_graceful_shutdown = max(1, math.ceil(grace))
        self._server.request_exit()
        await self._serving
        self._serving = None
        for connection in list(self._server.server_state.connections):
            connection.transport.abort()


def protocol_class() -> type[HttpProtocol]:
    """The connections of the fastest parser that is installed."""
    try:
        from patchbay.server.httptools_protocol import HttpToolsHttpProtocol
    except ImportError:  # no wheel for this platform
        from patchbay.server.h11_protocol import H11HttpProtocol

        return H11HttpProtocol
    return HttpToolsHttpProtocol


class _Server(uvicorn.Server):
    """uvicorn without signal handlers, with events for "ready" and "stop", and a slow tick."""

    def __init__(
        self,
        config: uvicorn.Config,
        tls: ssl.SSLContext | None,
        limits: ConnectionLimits,
        dropper: ConnectionDropper,
    ) -> None:
        super().__init__(config)
        self._dropper = dropper
        self._tls, self._handshake_timeout = tls, limits.handshake_seconds if tls else None
        self._max_connections = limits.connections
        self.first_connection: socket.socket | None = None
        self.ready = asyncio.Event()
        self._exit_requested = asyncio.Event()

    def request_exit(self) -> None:
        self.should_exit = True
        self._exit_requested.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Like uvicorn's, with an accept loop that survives errors, and a limit on TLS handshakes."""
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
        if self.first_connection is not None:
            self.servers[0].add(self.first_connection)
        self.started = True
        self.ready.set()

    def _protocol(self) -> HttpProtocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg, return-value]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def _make_room(self) -> None:
        self._dropper.drop_one(self.server_state.connections)

    async def main_loop(self) -> None:
        """Refresh the date header once a second; uvicorn's own loop wakes ten times and leaves later."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._exit_requested.wait()
