"""`PeerWork`: what the engine does together with the other programs that run the same flows."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable

from patchbay.domain.base import EpochMs, ExecutionId, JsonObject
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionState, WaitsFor
from patchbay.domain.peers import PeerMessage, Peers
from patchbay.domain.ports import WebhookResponse
from patchbay.engine.runs.rate_limits import RateLimiter
from patchbay.engine.triggers.webhook_responses import PendingResponses

_log = logging.getLogger(__name__)

OFFER_SECONDS = 0.1
"""Minimum time between two messages about queued executions."""
MAX_HOLD_SECONDS = 86_400.0
"""No service can make this program wait longer; the same limit as for `Retry-After`."""
LOOK_AGAIN_SECONDS = 1.0
"""Delay before executions that are due are read again, after one couldn't be claimed."""
CANCEL_CHECK_SECONDS = 0.1
RESPONSE_SECONDS = 2.0
"""How long the response of a run that another program has ended is awaited, before its caller gets the one
for its outcome, such as 204 or 502.

A response is sent after the step that gives it was stored, so the end of the run may be seen first.
"""


class PeerWork:
    """Offers queued executions to other programs, and handles their messages. Without any, does nothing.

    `cancel_here` interrupts an execution if this program runs it. Belongs to one event loop.
    """

    def __init__(
        self,
        peers: Peers,
        store: EngineStore,
        limits: RateLimiter,
        pending_responses: PendingResponses,
        clock: Callable[[], EpochMs],
        wake_up: Callable[[], None],
        cancel_here: Callable[[ExecutionId], object],
    ) -> None:
        self._peers = peers
        self._store = store
        self._limits = limits
        self._pending_responses = pending_responses
        self._clock = clock
        self._wake_up = wake_up
        self._cancel_here = cancel_here
        self._offer: asyncio.TimerHandle | None = None
        self._offered_at = -OFFER_SECONDS
        self._look: asyncio.TimerHandle | None = None
        self._checks: set[asyncio.Task[None]] = set()

    def offer(self) -> None:
        """Let other programs look for queued executions: now, or soon after the last time."""
        if self._peers.are_possible and self._offer is None:
            loop = asyncio.get_running_loop()
            wait = max(0.0, self._offered_at + OFFER_SECONDS - loop.time())
            self._offer = loop.call_later(wait, self._send_offer)

    def look_again(self) -> None:
        """Read what is due again, soon: an execution couldn't be claimed."""
        if self._peers.are_possible and self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_AGAIN_SECONDS, self._on_look)

    def respond(self, execution_id: ExecutionId, response: WebhookResponse) -> None:
        """Deliver the response of an execution to its caller, who may wait in another program."""
        if not self._peers.are_possible or self._pending_responses.is_awaited(execution_id):
            self._pending_responses.respond(execution_id, response)
        else:
            self._peers.send(PeerMessage.RESPONSE, id=execution_id, response=response.model_dump(mode="json"))

    def hold(self, key: str, seconds: float, name: str) -> None:
        """Let other programs start no call under this key for so many seconds."""
        if self._peers.are_possible:
            self._peers.send(PeerMessage.HOLD, key=key, seconds=seconds, name=name)

    def release(self, execution_id: ExecutionId) -> None:
        """Let other programs end the holds that this execution waits for."""
        if self._peers.are_possible:
            self._peers.send(PeerMessage.RELEASE, id=execution_id)

    async def cancel(self, execution_ids: Iterable[ExecutionId], seconds: float) -> bool:
        """Interrupt executions that other programs run; False if one still runs after so many seconds."""
        running = set(execution_ids)
        if not self._peers.are_possible or not running:
            return True
        self._peers.send(PeerMessage.CANCEL, ids=[*sorted(running)])
        try:
            async with asyncio.timeout(seconds):
                while running:
                    await asyncio.sleep(CANCEL_CHECK_SECONDS)
                    for execution_id in tuple(running):
                        found = await self._store.stored_execution(execution_id)
                        if found is None or found.state is not ExecutionState.RUNNING:
                            running.discard(execution_id)
        except TimeoutError:
            return False
        return True

    def on_message(self, kind: PeerMessage, body: JsonObject) -> None:
        """Handle a message of another program."""
        execution_id = ExecutionId(str(body.get("id", "")))
        match kind:
            case PeerMessage.WORK:
                self._wake_up()
            case PeerMessage.CANCEL:
                ids = body["ids"]
                for each in ids if isinstance(ids, list) else ():
                    self._cancel_here(ExecutionId(str(each)))
            case PeerMessage.HOLD:
                seconds = float(str(body["seconds"]))
                if 0 < seconds <= MAX_HOLD_SECONDS:  # also not NaN
                    self._limits.hold(str(body["key"]), seconds, str(body["name"]))
            case PeerMessage.RELEASE:
                self._release(execution_id)
            case PeerMessage.RESPONSE:
                response = WebhookResponse.model_validate(body["response"])
                self._pending_responses.respond(execution_id, response)

    def executions_changed(self, execution_ids: Collection[ExecutionId]) -> None:
        """Respond to callers whose executions another program may have ended; without IDs, any of them."""
        awaited = self._pending_responses.awaited(execution_ids)
        if awaited:
            check = asyncio.create_task(self._respond_to_ended(awaited), name="check awaited executions")
            self._checks.add(check)
            check.add_done_callback(self._checks.discard)

    def close(self) -> None:
        """Stop what is scheduled."""
        for handle in (self._offer, self._look, *self._checks):
            if handle is not None:
                handle.cancel()
        self._offer = self._look = None

    def _release(self, execution_id: ExecutionId) -> None:
        released = self._limits.release(execution_id)
        if released:
            wake = asyncio.create_task(self._wake(released), name="wake released executions")
            self._checks.add(wake)
            wake.add_done_callback(self._checks.discard)

    async def _wake(self, execution_ids: tuple[ExecutionId, ...]) -> None:
        try:
            await self._store.wake(execution_ids, self._clock())
        except AppError as error:
            _log.warning("Executions continue later: %s", error.text())
        self._wake_up()

    async def _respond_to_ended(self, execution_ids: Collection[ExecutionId]) -> None:
        try:
            found = [await self._store.stored_execution(execution_id) for execution_id in execution_ids]
        except AppError as error:
            _log.warning("A caller waits until it times out: %s", error.text())
            return
        stopped = [
            each
            for each in found
            if each is not None and (each.state.finished or each.waits_for is WaitsFor.DELAY)
        ]
        if stopped:
            await asyncio.sleep(RESPONSE_SECONDS)
        for each in stopped:
            self._pending_responses.on_run_stopped(each.id, each.state, each.note)

    def _send_offer(self) -> None:
        self._offer, self._offered_at = None, asyncio.get_running_loop().time()
        self._peers.send(PeerMessage.WORK)

    def _on_look(self) -> None:
        self._look = None
        self._wake_up()
