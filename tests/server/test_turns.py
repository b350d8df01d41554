"""Lists of executions are made a few at a time, so that a crowd does not keep others waiting."""

import asyncio

import pytest

from patchbay.server.middleware import MAX_CONCURRENT_BY_SUFFIX, ListConcurrencyLimit

LIST = "/api/v1/executions"


class Slow:
    """An application whose answers are finished one by one."""

    def __init__(self):
        self.begun = []
        self.gates = []

    async def __call__(self, scope, receive, send):
        self.begun.append(scope["path"])
        gate = asyncio.Event()
        self.gates.append(gate)
        await gate.wait()
        if scope.get("fails"):
            raise RuntimeError("as planned")
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope.get("reads_slowly"):
            await asyncio.Event().wait()


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
async def call(slow):
    """Starts a request; all that are still under way end with the test."""
    turns, tasks = ListConcurrencyLimit(slow), []

    async def send(message):
        pass

    def start(path=LIST, method="GET", **more):
        scope = {"type": "http", "method": method, "path": path, **more}
        tasks.append(asyncio.create_task(turns(scope, None, send)))
        return tasks[-1]

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def settled():
    for _ in range(10):
        await asyncio.sleep(0)


async def test_only_a_few_lists_are_made_at_a_time_and_the_others_follow(slow, call):
    tasks = [call() for _ in range(5)]
    await settled()
    assert len(slow.begun) == MAX_CONCURRENT_BY_SUFFIX["/v1/executions"] == 2

    while not all(task.done() for task in tasks):
        for gate in slow.gates:
            gate.set()
        await settled()
    assert len(slow.begun) == 5


async def test_everything_else_is_never_kept_waiting(slow, call):
    for _ in range(4):
        call()
    others = [
        ("/v1/flows/7/status", "PATCH"),
        ("/v1/executions/7", "GET"),
        ("/v1/executions", "POST"),
        ("/v1/executions/search", "GET"),
    ]
    for path, method in others:
        call(path, method)
    await settled()

    assert slow.begun[2:] == [path for path, _ in others]


async def test_a_turn_ends_when_the_answer_begins_or_fails(slow, call):
    call(reads_slowly=True)
    failing, _ = call(fails=True), call()
    await settled()
    assert len(slow.begun) == 2

    for gate in slow.gates:
        gate.set()
    await settled()
    assert failing.exception() is not None
    assert len(slow.begun) == 3


async def test_a_client_that_disconnects_while_waiting_gives_its_turn_to_the_next(slow, call):
    call(), call()
    waiting, last = call(), call()
    await settled()

    waiting.cancel()
    slow.gates[0].set()
    await settled()
    assert waiting.cancelled()
    assert len(slow.begun) == 3
    assert not last.done()
