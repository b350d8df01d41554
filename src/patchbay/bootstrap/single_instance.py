"""One window per data folder: a further start asks the open window to come to the front, and ends.

The window listens on a local socket that only this user can connect to. A request is one line of JSON
(`OpenRequest`), the response one word (`Response`).
"""

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from PySide6.QtCore import QObject, QTimer
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from patchbay.bootstrap.open_request import MAX_BYTES, OpenRequest, Response, parse_request
from patchbay.platform.runtime_folder import WindowLock

log = logging.getLogger("window")

MAX_CONNECTIONS = 8
REQUEST_MS = 5_000
"""The time that another process has for its request."""
HAND_OVER_SECONDS = 15.0
"""How long a start waits for a window that has the lock but doesn't respond. It may be starting."""
_CONNECT_MS = 500
_RETRY_SECONDS = 0.1


class InstanceServer(QObject):
    """Listens to further starts of the program; `respond` is called on the window's thread."""

    def __init__(
        self, lock: WindowLock, respond: Callable[[OpenRequest], Response], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._respond = respond
        self._server = QLocalServer(self)
        if sys.platform == "win32":
            self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.setMaxPendingConnections(MAX_CONNECTIONS)
        self._server.newConnection.connect(self._on_connection)
        self._open: set[QLocalSocket] = set()
        QLocalServer.removeServer(lock.socket)  # left by a window that was killed: the lock is ours
        if not self._server.listen(lock.socket):
            log.warning("further starts can't reach this window: %s", self._server.errorString())
        elif sys.platform != "win32":
            # Qt's own option binds a longer path first, which may exceed the limit of about 100 bytes. Only
            # this user can reach the folder.
            Path(lock.socket).chmod(0o600)

    def close(self) -> None:
        """Stop listening."""
        self._server.close()
        for socket in tuple(self._open):
            socket.abort()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            if len(self._open) >= MAX_CONNECTIONS:
                socket.abort()
                socket.deleteLater()
                continue
            self._open.add(socket)
            socket.setReadBufferSize(MAX_BYTES + 1)
            socket.disconnected.connect(lambda socket=socket: self._on_disconnected(socket))
            socket.readyRead.connect(lambda socket=socket: self._on_data(socket))
            QTimer.singleShot(REQUEST_MS, socket, socket.abort)

    def _on_disconnected(self, socket: QLocalSocket) -> None:
        self._open.discard(socket)
        socket.deleteLater()

    def _on_data(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > MAX_BYTES:
                log.warning("a request of another process was too long")
                socket.abort()
            return
        line = bytes(socket.readLine(MAX_BYTES + 1).data())
        socket.readyRead.disconnect()
        try:
            response = self._respond(parse_request(line))
        except ValueError as error:
            log.warning("a request of another process was rejected: %s", error)
            response = Response.REJECTED
        socket.write(f"{response}\n".encode())
        socket.disconnectFromServer()


def hand_over(lock: WindowLock, request: OpenRequest, seconds: float = HAND_OVER_SECONDS) -> Response | None:
    """Ask the window that has the lock. None if this process has acquired the lock instead.

    If that window doesn't respond in time, `OTHER_WORKSPACE` lets this process open a window of its own.
    """
    ends = monotonic() + seconds
    while not lock.acquire():
        if (response := _ask(lock.socket, request, ends)) is not None:
            return response
        if monotonic() > ends:
            log.warning("the window of this data folder doesn't respond, so another one is opened")
            return Response.OTHER_WORKSPACE
        sleep(_RETRY_SECONDS)
    return None


def _ask(name: str, request: OpenRequest, ends: float) -> Response | None:
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_CONNECT_MS):
        return None
    socket.write(request.to_line())
    while not socket.canReadLine():
        if not socket.waitForReadyRead(_milliseconds_until(ends)):
            return None
    word = bytes(socket.readLine(64).data()).decode(errors="replace").strip()
    return Response(word) if word in set(Response) else None


def _milliseconds_until(ends: float) -> int:
    return max(1, round((ends - monotonic()) * 1000))
