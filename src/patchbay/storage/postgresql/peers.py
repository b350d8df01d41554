"""Messages between the programs that share a database, by NOTIFY, and the heartbeats of this one.

A thread with a connection of its own listens and renews the program's row, so that neither a busy event loop
nor a long write delays it. Messages are sent by the writer. What was sent while the connection was lost is
lost: `on_gap` is called then, to drop what is kept in memory.
"""

import asyncio
import itertools
import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
from sqlalchemy import Connection

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.peers import PeerMessage, new_program_id
from patchbay.storage.driver import Driver, driver_of
from patchbay.storage.postgresql import programs
from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.postgresql.connections import PostgresDriver, connect
from patchbay.storage.postgresql.programs import Registration

if TYPE_CHECKING:
    from patchbay.storage.database import Database

_log = logging.getLogger(__name__)

RECOVERY_SECONDS = 30.0
"""The runs of a program that is gone continue in others within this time."""
_HEARTBEATS = 6
"""Heartbeats in that time; the row expires after 4 of them, and the next one of another program notices."""
_RECONNECT_SECONDS = 1.0
_CHANNEL = "SELECT name FROM message_channel"
_NOTIFY = f"SELECT pg_notify(({_CHANNEL}), ?)"
_PART_CHARACTERS = 7_000
"""PostgreSQL's limit is 8,000 bytes. Messages are ASCII."""
_MAX_UNFINISHED = 100
_MAX_UNFINISHED_CHARACTERS = 64 * 1024**2
"""Of messages whose parts haven't all arrived; the oldest is dropped beyond that."""

OnMessage = Callable[[PeerMessage, JsonObject], None]


class PostgresPeers:
    """Implements `Peers`. Only sends until `join`, as commands do."""

    are_possible = True

    def __init__(self, address: PostgresAddress) -> None:
        self.program_id = new_program_id()
        self.is_leader = False
        self._address = address
        self._numbers = itertools.count()
        self._db: Database | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sending: set[asyncio.Task[None]] = set()
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._has_left = False
        self._unfinished = UnfinishedMessages()
        self._program = Registration(self.program_id)
        self._interval = RECOVERY_SECONDS / _HEARTBEATS
        self.on_message: OnMessage = lambda kind, body: None
        """Called on the event loop with each message of another program."""
        self.on_gap: Callable[[], None] = lambda: None
        """Called on the event loop when messages may have been lost."""

    def use(self, db: "Database") -> None:
        """Send messages through the writer of this database."""
        self._db = db

    async def join(
        self, *, place: str = "", restricted: bool = False, recovery_seconds: float = RECOVERY_SECONDS
    ) -> None:
        """Register this program, and listen. Queues the runs of the last program at this place again."""
        self._interval = recovery_seconds / _HEARTBEATS
        self._program = replace(
            self._program,
            place=place,
            restricted=restricted,
            expiry_ms=int(self._interval * (_HEARTBEATS - 2) * 1000),
        )
        self._loop = asyncio.get_running_loop()
        assert self._db is not None
        await self._db.write_driver(lambda driver: programs.register(driver, self._program))
        self._ended.clear()
        self._has_left = False
        self._thread = threading.Thread(target=self._run, name="patchbay-peers", daemon=True)
        self._thread.start()

    async def leave(self) -> None:
        """Remove this program; its unfinished runs are queued for others."""
        if self._sending:
            await asyncio.wait(self._sending)
        if self._thread is None or self._db is None:
            return
        self._ended.set()
        try:
            await self._db.write_driver(self._remove)  # the message ends the thread's wait
        finally:
            await asyncio.to_thread(self._thread.join, _RECONNECT_SECONDS)
            self._thread = None
            self.is_leader = False
            self._has_left = True

    def send(self, kind: PeerMessage, **body: Json) -> None:
        """See `Peers.send`."""
        if self._has_left:
            return
        payloads = self._payloads(kind, body)
        task = asyncio.create_task(self._write(payloads), name=f"send {kind}")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def announce(self, tx: Connection, kind: PeerMessage, **body: Json) -> None:
        """Send a message when this transaction commits, and only then."""
        self._notify(driver_of(tx), self._payloads(kind, body))

    def _remove(self, driver: Driver) -> None:
        programs.remove(driver, self.program_id)
        self._notify(driver, self._payloads(PeerMessage.WORK, {}))

    async def _write(self, payloads: list[str]) -> None:
        assert self._db is not None
        try:
            await self._db.write_driver(lambda driver: self._notify(driver, payloads))
        except Exception as error:  # noqa: BLE001  others find out later, by themselves
            _log.warning("A message to other programs wasn't sent: %s", error)

    @staticmethod
    def _notify(driver: Driver, payloads: list[str]) -> None:
        for payload in payloads:
            driver.execute(_NOTIFY, (payload,))

    def _payloads(self, kind: PeerMessage, body: dict[str, Json]) -> list[str]:
        text = json.dumps([kind, body])
        parts = [text[at : at + _PART_CHARACTERS] for at in range(0, len(text), _PART_CHARACTERS)]
        head = f"{self.program_id}:{next(self._numbers)}"
        return [f"{head}:{len(parts) - number}:{part}" for number, part in enumerate(parts, start=1)]

    # On the thread

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                with connect(self._address) as connection:
                    self._attend(connection)
            except Exception as error:  # noqa: BLE001  it must survive everything, or others take its runs over
                if not self._ended.is_set():
                    level = logging.WARNING if isinstance(error, psycopg.Error) else logging.ERROR
                    _log.log(level, "The connection for messages of other programs was lost: %s", error)
            if not self._ended.is_set():
                self._post(self._report_gap)
            self._ended.wait(_RECONNECT_SECONDS)

    def _attend(self, connection: psycopg.Connection[Any]) -> None:
        """Renew the program's row in time, and deliver messages meanwhile."""
        driver, connected_at = PostgresDriver(connection), time.monotonic()
        [[channel]] = driver.execute(_CHANNEL).fetchall()
        driver.execute(f"LISTEN {channel}")
        self._unfinished = UnfinishedMessages()
        self._post(self._report_gap)  # what was sent between the start and now
        while not self._ended.is_set():
            began = time.monotonic()
            with connection.transaction():
                found = programs.renew(driver, self._program, int((began - connected_at) * 1000))
            self._post(self._apply, found)
            while (left := began + self._interval - time.monotonic()) > 0 and not self._ended.is_set():
                for notification in connection.notifies(timeout=left, stop_after=1):
                    self._receive(notification.payload)

    def _receive(self, payload: str) -> None:
        try:
            if (message := self._unfinished.add(payload, own=self.program_id)) is not None:
                self._post(self._deliver, *message)
        except (ValueError, RecursionError) as error:
            _log.warning("A message that isn't one of Patchbay's programs was dropped: %s", error)

    def _deliver(self, kind: PeerMessage, body: JsonObject) -> None:
        try:
            self.on_message(kind, body)
        except (KeyError, ValueError) as error:
            _log.warning("A message (%s) of another program was dropped: %s", kind, error)

    def _apply(self, found: programs.Heartbeat) -> None:
        if found.is_leader is not self.is_leader:
            self.is_leader = found.is_leader
            self.on_gap()  # the leader also listens to services
        if found.recovered:
            _log.warning("%d runs of a program that is gone continue.", found.recovered)
            self.on_message(PeerMessage.WORK, {})
            self.send(PeerMessage.WORK)

    def _report_gap(self) -> None:
        self.on_gap()

    def _post(self, callback: Callable[..., None], *arguments: object) -> None:
        """Call this on the event loop, unless that is closed."""
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            self._ended.set()


class UnfinishedMessages:
    """Puts messages together from their parts. What is waited for is bounded."""

    def __init__(self) -> None:
        self._parts: dict[str, list[str]] = {}
        self._characters = 0

    def add(self, payload: str, own: str) -> tuple[PeerMessage, JsonObject] | None:
        """Returns a message with its last part, unless the program `own` sent it.

        Raises `ValueError` or `RecursionError` for anything but a message.
        """
        sender, number, remaining, part = payload.split(":", 3)
        if sender == own:
            return None
        key = f"{sender}:{number}"
        self._parts.setdefault(key, []).append(part)
        self._characters += len(part)
        if remaining == "0":
            text = self._remove(key)
            match json.loads(text):
                case [str(kind), dict(body)]:
                    pass
                case _:
                    raise ValueError("it isn't a kind and an object")
            # A newer version may have other kinds.
            return (PeerMessage(kind), body) if kind in list(PeerMessage) else None
        while len(self._parts) > _MAX_UNFINISHED or self._characters > _MAX_UNFINISHED_CHARACTERS:
            self._remove(next(iter(self._parts)))
        return None

    @property
    def waiting(self) -> tuple[int, int]:
        """The number of messages that aren't complete, and their characters."""
        return len(self._parts), self._characters

    def _remove(self, key: str) -> str:
        text = "".join(self._parts.pop(key))
        self._characters -= len(text)
        return text
