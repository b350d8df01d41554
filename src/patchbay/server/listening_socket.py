"""The listening socket, which can be opened without importing the HTTP server."""

import errno
import socket
import sys

from patchbay.domain.errors import AppError, Conflict, Forbidden, Unreachable

_BACKLOG = 1024


def bind(host: str, port: int) -> socket.socket:
    """Bind and listen. Raises an `AppError` if the port is in use or can't be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every response with a body waits 40 ms.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":  # SO_REUSEADDR would let two programs share a port there
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
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
        meaning = "Another program is listening there, perhaps another Patchbay."
        return Conflict(f"Port {port} on {host} is already in use.", meaning=meaning, todo=todo)
    if error.errno == errno.EACCES:
        if sys.platform == "win32":
            meaning = (
                "“netsh interface ipv4 show excludedportrange protocol=tcp” lists the ports that Windows has "
                "reserved."
            )
            happened = (
                f"Port {port} on {host} is reserved by Windows, or another program uses it exclusively."
            )
            return Conflict(happened, meaning=meaning, todo=todo)
        meaning = "Ports below 1024 need special rights."
        return Forbidden(f"No permission to listen on {host}, port {port}.", meaning=meaning, todo=todo)
    return Unreachable(
        f"Can't listen on {host}, port {port}: {error.strerror}.",
        todo="Choose an address of this computer with --host; 127.0.0.1 always works.",
    )


def url_host(host: str) -> str:
    """The host as part of a URL: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host
