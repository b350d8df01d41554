"""Callers that wait for the response of a run which another program carries out."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.engine_store import StoredExecution
from patchbay.domain.executions import ExecutionState, WaitsFor
from patchbay.domain.peers import NoPeers, PeerMessage
from patchbay.domain.ports import NO_CONTENT, WebhookResponse
from patchbay.engine import peer_work
from patchbay.engine.peer_work import PeerWork
from patchbay.engine.runs.rate_limits import RateLimiter
from patchbay.engine.triggers.webhook_responses import PendingResponses

RUN = ExecutionId("e1")


class StoreOfOne:
    """Holds the run that the caller waits for, as another program has stored it."""

    def __init__(self) -> None:
        self.state = ExecutionState.RUNNING
        self.waits_for: WaitsFor | None = None
        self.note: str | None = None

    async def stored_execution(self, execution_id: ExecutionId) -> StoredExecution:
        return StoredExecution(
            id=execution_id,
            flow_id=FlowId("f1"),
            flow_version=1,
            state=self.state,
            waits_for=self.waits_for,
            note=self.note,
            test_run=False,
            run_key=execution_id,
            steps=(),
        )


@pytest.fixture
def store() -> StoreOfOne:
    return StoreOfOne()


@pytest.fixture
def responses() -> PendingResponses:
    return PendingResponses()


@pytest.fixture
async def work(store: Any, responses: PendingResponses) -> AsyncIterator[PeerWork]:
    work = PeerWork(
        NoPeers(), store, RateLimiter(lambda: 0), responses, lambda: 0, lambda: None, lambda _: None
    )
    yield work
    work.close()


async def test_the_response_may_arrive_after_the_end_of_the_run_was_seen(store, responses, work):
    reply = responses.expect(RUN)
    store.state = ExecutionState.SUCCESS

    work.executions_changed([RUN])
    for _ in range(5):
        await asyncio.sleep(0)  # the end is read
    assert not reply.done()
    work.on_message(PeerMessage.RESPONSE, {"id": RUN, "response": {"status": 200, "body": "Hello"}})

    assert await reply == WebhookResponse(status=200, body="Hello")


@pytest.mark.parametrize(
    ("state", "waits_for"),
    [(ExecutionState.SUCCESS, None), (ExecutionState.WAITING, WaitsFor.DELAY)],
    ids=["ended", "waits for a delay"],
)
async def test_a_run_without_a_response_gets_204_at_its_end_or_first_delay(
    store, responses, work, monkeypatch, state, waits_for
):
    monkeypatch.setattr(peer_work, "RESPONSE_SECONDS", 0)
    reply = responses.expect(RUN)
    store.state, store.waits_for = state, waits_for

    work.executions_changed([RUN])

    assert await reply == NO_CONTENT


async def test_a_run_that_waits_for_a_retry_keeps_its_caller_waiting(store, responses, work, monkeypatch):
    monkeypatch.setattr(peer_work, "RESPONSE_SECONDS", 0)
    reply = responses.expect(RUN)
    store.state, store.waits_for = ExecutionState.WAITING, WaitsFor.RETRY

    work.executions_changed([RUN])
    await asyncio.gather(*work._checks)

    assert not reply.done()


async def test_the_caller_of_a_filtered_run_learns_why(store, responses, work, monkeypatch):
    monkeypatch.setattr(peer_work, "RESPONSE_SECONDS", 0)
    reply = responses.expect(RUN)
    store.state, store.note = ExecutionState.FILTERED, "“total” is not above 100."

    work.executions_changed([RUN])

    assert "“total” is not above 100." in str((await reply).body)
