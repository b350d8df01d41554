"""Reading the history of another service, with a real server of its habits: ten per page, few filters."""

import asyncio
import time
from itertools import pairwise
from typing import Any

import pytest
from tests.support.forms import long_form
from tests.support.recorded_service import KEY, RecordedService

from patchbay.client.history import HistoryReader
from patchbay.client.remote import RemoteBackend
from patchbay.domain.backend import Feature
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.executions import (
    ExecutionFilter,
    ExecutionState,
    ExecutionStatus,
    HistoryCopy,
    HistoryCopyState,
)
from patchbay.domain.paging import PageRequest
from patchbay.storage.remote_cache import StoredRemoteCache

START = 1_731_000_000_000
EXECUTIONS = "GET /api/v1/executions"


@pytest.fixture
async def service():
    running = RecordedService()
    await running.start()
    yield running
    await running.stop()


def _row(service, number, **more):
    flows = service.state.flows
    status = ("success", "failure", "success")[number % 3]
    return {
        "id": f"e{number:07}-0b1c-4d2e-8f30-000000000001",
        "testRun": number % 10 == 0,
        "status": status,
        "flowId": flows[number % len(flows)]["id"],
        "createdAt": START + number * 1000,
        "updatedAt": START + number * 1000 + 500,
    } | more


def _fill(service, count):
    service.state.executions = [_row(service, number) for number in range(count)]


class Rests:
    """Stands for the pauses between questions; `until` holds the reader up after so many of them."""

    def __init__(self) -> None:
        self.taken: list[float] = []
        self.stop_after: int | None = None
        self.stopped = asyncio.Event()
        self.go_on = asyncio.Event()
        self.before = lambda count: None

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        self.before(len(self.taken))
        if self.stop_after is not None and len(self.taken) > self.stop_after:
            self.stopped.set()
            await self.go_on.wait()
        await asyncio.sleep(0)


@pytest.fixture
def rests(monkeypatch):
    made = Rests()
    monkeypatch.setattr(HistoryReader.__init__, "__kwdefaults__", {"sleep": made})
    return made


@pytest.fixture
async def remote(service, rests, tmp_path):
    opened = await _opened(service, tmp_path)
    yield opened
    await opened.close()


async def _opened(service, tmp_path):
    opened = RemoteBackend(service.address, KEY, remote_cache=StoredRemoteCache(tmp_path / "kept.db"))
    opened._change_feed._poll = 0.02
    await opened.open()
    return opened


async def _until(remote, state):
    """Wait for changes until the copy is in this state, without polling."""
    changes = remote.changes()
    try:
        while (copy := await remote.history_copy()).state is not state:
            await anext(changes)
        return copy
    finally:
        await changes.aclose()


async def _read(remote):
    await remote.start_history_download()
    return await _until(remote, HistoryCopyState.COMPLETE)


async def _ids(remote, where=None, limit=200):
    """Every execution the filter finds, page by page."""
    found, cursor = [], None
    while True:
        page = await remote.list_executions(
            where or ExecutionFilter(), PageRequest(limit=limit, cursor=cursor)
        )
        found += [item.id for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            assert len(found) == page.total
            return found


def _pages_read(service):
    """How many questions the reading took: only it names pages of the list."""
    return sum(line.startswith(f"{EXECUTIONS}?page=") for line in service.asked)


def _expected(service, keep=lambda row: True):
    rows = sorted(service.state.executions, key=lambda row: -row["createdAt"])
    return [row["id"] for row in rows if keep(row)]


async def _copied(remote):
    """All that is in the copy, newest first."""
    page = await remote._remote_cache.history.find(ExecutionFilter(), None, PageRequest(limit=200))
    found = list(page.items)
    while page.next_cursor:
        page = await remote._remote_cache.history.find(
            ExecutionFilter(), None, PageRequest(limit=200, cursor=page.next_cursor)
        )
        found += page.items
    return [item.id for item in found]


@long_form
async def test_a_long_history_is_read_once_with_one_question_for_ten(service, remote):
    _fill(service, 2000)

    copy = await _read(remote)

    assert copy == HistoryCopy(state=HistoryCopyState.COMPLETE, done=2000, total=2000, oldest_at=START)
    assert _pages_read(service) == 200
    assert await _copied(remote) == _expected(service)


@pytest.mark.parametrize(
    ("where", "keep"),
    [
        (
            {"states": (ExecutionState.SUCCESS, ExecutionState.FAILURE), "test_run": True},
            lambda row: row["testRun"],
        ),
        (
            {"status": ExecutionStatus.FAILURE, "test_run": False},
            lambda row: row["status"] == "failure" and not row["testRun"],
        ),
        (
            {"test_run": True, "started_after": START + 50_000, "ended_before": START + 90_000},
            lambda row: row["testRun"] and START + 50_000 <= row["createdAt"] <= START + 90_000,
        ),
        ({"note": "nothing of the sort"}, lambda row: False),
    ],
)
async def test_every_filter_works_on_the_copy(service, remote, where, keep):
    _fill(service, 250)
    await _read(remote)

    found = await _ids(remote, ExecutionFilter.model_validate(where), limit=7)

    assert found == _expected(service, keep)


async def test_flow_app_and_folder_are_filters_too(service, remote):
    _fill(service, 250)
    await _read(remote)
    flow = service.state.flows[0]
    app = next(step["appKey"] for step in flow["steps"] if step.get("appKey"))
    folder = next(one["folderId"] for one in service.state.flows if one["folderId"])
    with_app = {
        one["id"] for one in service.state.flows if any(step.get("appKey") == app for step in one["steps"])
    }
    in_folder = {one["id"] for one in service.state.flows if one["folderId"] == folder}

    for where, flows in (
        (ExecutionFilter(flow_id=flow["id"]), {flow["id"]}),
        (ExecutionFilter(app_key=app), with_app),
        (ExecutionFilter(folder_id=folder), in_folder),
    ):
        assert await _ids(remote, where) == _expected(
            service, lambda row, flows=flows: row["flowId"] in flows
        )


async def test_the_histogram_is_there_once_the_copy_is_whole(service, remote):
    _fill(service, 100)
    assert remote.capabilities.reason(Feature.STATISTICS)
    assert remote.capabilities.reason(Feature.FILTERS)

    await _read(remote)

    assert not remote.capabilities.reason(Feature.STATISTICS)
    assert not remote.capabilities.reason(Feature.FILTERS)
    figure = await remote.histogram(ExecutionFilter(test_run=False), START, START + 100_000, 4)
    assert figure.total == 90
    assert [bar.start for bar in figure.bars] == [START + number * 25_000 for number in range(4)]


async def test_without_a_copy_the_words_say_how_to_get_one(service, remote):
    with pytest.raises(NotSupported, match="filters executions only") as refused:
        await remote.list_executions(ExecutionFilter(test_run=True), PageRequest())

    assert "Download history" in refused.value.todo
    assert await remote.history_copy() == HistoryCopy(state=HistoryCopyState.ABSENT)


async def test_while_it_is_read_what_is_there_can_be_filtered(service, remote, rests):
    _fill(service, 500)
    rests.stop_after = 20
    await remote.start_history_download()
    await rests.stopped.wait()

    copy = await remote.history_copy()
    assert (copy.state, copy.total) == (HistoryCopyState.READING, 500)
    assert copy.done == 200
    found = await _ids(remote, ExecutionFilter(test_run=True))
    assert found == _expected(service, lambda row: row["testRun"])[:20]


async def test_what_was_retried_is_known_from_the_copy(service, remote):
    _fill(service, 9)
    first, again, called = service.state.executions[1:4]
    again |= {"originId": first["id"], "originKind": "retry"}
    called |= {"originId": again["id"], "originKind": "call"}
    await _read(remote)

    assert await _ids(remote, ExecutionFilter(retried=True)) == [first["id"]]
    assert await _ids(remote, ExecutionFilter(retried=False)) == _expected(
        service, lambda row: row is not first
    )


async def test_reading_can_be_stopped_and_continues_where_it_was(service, remote, rests):
    _fill(service, 500)
    rests.stop_after = 20
    await remote.start_history_download()
    await rests.stopped.wait()

    stopped = await remote.stop_history_download()
    assert (stopped.state, stopped.done) == (HistoryCopyState.STOPPED, 200)
    asked = _pages_read(service)
    rests.stop_after = None
    await _read(remote)

    assert _pages_read(service) - asked == 1 + 30
    assert await _copied(remote) == _expected(service)


async def test_a_restart_continues_where_it_was_and_brings_what_is_new(service, remote, rests, tmp_path):
    _fill(service, 500)
    rests.stop_after = 20
    await remote.start_history_download()
    await rests.stopped.wait()
    await remote.close()
    service.state.executions += [_row(service, number) for number in range(500, 535)]
    asked = _pages_read(service)
    rests.stop_after = None

    again = await _opened(service, tmp_path)
    await _until(again, HistoryCopyState.COMPLETE)

    assert await _copied(again) == _expected(service)
    assert _pages_read(service) - asked == 4 + 31
    await again.close()


@long_form
async def test_a_list_that_grows_and_shrinks_while_it_is_read_loses_nothing(service, remote, rests):
    _fill(service, 400)
    numbers = iter(range(1000, 3000))

    def shift(count):
        rows = service.state.executions
        if count % 3 == 0:
            rows.append(_row(service, next(numbers)))
        if count % 2 == 0 and count < 60:
            newest = sorted(rows, key=lambda row: -row["createdAt"])
            for row in (newest[0], newest[count * 4]):
                rows.remove(row)

    rests.before = shift
    await remote.start_history_download()
    await _until(remote, HistoryCopyState.COMPLETE)
    rests.before = lambda count: None
    await _kept_up(service, remote)

    assert set(_expected(service)) <= set(await _copied(remote))


async def _kept_up(service, remote):
    """Wait until all executions are in the copy. The newest ones arrive first, page by page."""
    changes = remote.changes()
    while not set(_expected(service)) <= set(await _copied(remote)):
        remote._reader.wake()
        await anext(changes)
    await changes.aclose()


async def test_what_is_new_comes_into_a_whole_copy(service, remote):
    _fill(service, 100)
    await _read(remote)

    service.state.executions += [_row(service, number) for number in range(100, 125)]
    await _kept_up(service, remote)

    assert await _copied(remote) == _expected(service)
    assert (await remote.history_copy()).state is HistoryCopyState.COMPLETE


async def test_runs_that_had_not_ended_are_looked_at_again(service, remote):
    _fill(service, 100)
    service.state.executions[3] |= {"status": None, "createdAt": int(time.time() * 1000) - 5000}
    moved = service.state.executions[3]
    service.state.executions += [
        _row(service, number, createdAt=moved["createdAt"] + number) for number in range(100, 130)
    ]
    await _read(remote)
    running = ExecutionFilter(states=(ExecutionState.RUNNING,))
    assert await _ids(remote, running) == [moved["id"]]

    moved["status"] = "failure"
    service.state.executions.append(_row(service, 200, createdAt=moved["createdAt"] + 500))
    changes = remote.changes()
    while await _ids(remote, running):
        remote._reader.wake()
        await anext(changes)

    assert moved["id"] in await _ids(remote, ExecutionFilter(status=ExecutionStatus.FAILURE))
    await changes.aclose()


async def test_what_was_deleted_there_is_gone_after_it_was_read_once_more(service, remote):
    _fill(service, 100)
    await _read(remote)
    del service.state.executions[20:50]

    await remote.start_history_download()
    copy = await _until(remote, HistoryCopyState.COMPLETE)

    assert copy.done == 70
    assert await _copied(remote) == _expected(service)


async def test_a_service_that_asks_to_wait_is_left_alone_as_long(service, remote, rests):
    _fill(service, 100)

    def instead(method, path):
        if path.endswith("/executions") and service.times(EXECUTIONS) > 8 and rests.taken.count(90.0) < 2:
            return 429, {"retry-after": "90"}, b""
        return None

    service.instead = instead

    await _read(remote)

    assert rests.taken.count(90.0) == 2
    assert await _copied(remote) == _expected(service)


async def test_a_server_that_never_lets_a_search_end_is_reported(service, remote, rests):
    _fill(service, 100)
    service.instead = lambda method, path: (429, {"retry-after": "90"}, b"") if "executions" in path else None

    await remote.start_history_download()
    copy = await _until(remote, HistoryCopyState.STOPPED)

    assert "Too many requests" in copy.problem
    assert rests.taken.count(90.0) == 5


async def test_a_slow_service_is_asked_less_often(service, remote, rests):
    _fill(service, 100)
    plain = service.answer

    async def slow(*arguments):
        await asyncio.sleep(0.1)
        await plain(*arguments)

    await _read(remote)
    assert min(rests.taken[1:]) < 0.2  # the quickest answer; the machine may be busy
    service.answer = slow
    rests.taken.clear()

    await _read(remote)

    assert max(rests.taken) >= 0.2


async def test_a_service_that_goes_silent_meanwhile_is_waited_for(service, remote, rests):
    _fill(service, 300)
    remote._adapter.service.connectivity._first_wait = 0.01
    rests.stop_after = 10
    await remote.start_history_download()
    await rests.stopped.wait()
    await service.stop()
    rests.stop_after = None
    rests.go_on.set()
    changes = remote.changes()
    while not (copy := await remote.history_copy()).problem:
        await anext(changes)
    assert "continues once the server responds" in copy.problem

    await service.start()
    copy = await _until(remote, HistoryCopyState.COMPLETE)

    assert copy.problem is None
    assert await _copied(remote) == _expected(service)
    await changes.aclose()


async def test_while_the_service_is_silent_the_whole_copy_can_be_looked_through(service, remote):
    _fill(service, 100)
    await _read(remote)
    await service.stop()

    found = await _ids(remote, ExecutionFilter(status=ExecutionStatus.FAILURE))

    assert found == _expected(service, lambda row: row["status"] == "failure")
    assert (await remote.info()).offline_since is not None


@long_form
async def test_requests_are_sequential_and_progress_is_reported_at_most_every_second(
    service, remote, monkeypatch
):
    _fill(service, 600)
    under_way, most = 0, 0
    plain = service.answer

    async def counted(head, reader, writer):
        nonlocal under_way, most
        under_way += "/executions?" in head and "page" in head
        most = max(most, under_way)
        try:
            await plain(head, reader, writer)
        finally:
            under_way -= "/executions?" in head and "page" in head

    service.answer = counted
    told: list[Any] = []
    tell = remote._reader._notify

    def note(noun: Any) -> None:
        told.append((noun, time.monotonic()))
        tell(noun)

    monkeypatch.setattr(remote._reader, "_notify", note)

    await _read(remote)

    assert most == 1
    progress = [at for noun, at in told if noun is ResourceType.HISTORY]
    assert all(later - earlier >= 1.0 for earlier, later in pairwise(progress))


async def test_a_cursor_of_another_list_is_refused(service, remote):
    _fill(service, 30)
    await _read(remote)

    with pytest.raises(ValidationFailed):
        await remote.list_executions(ExecutionFilter(test_run=True), PageRequest(cursor="20"))


async def test_our_own_services_need_no_copy(service, remote, monkeypatch):
    async def ours():
        return True

    monkeypatch.setattr(remote._adapter, "is_patchbay", ours)

    assert await remote.start_history_download() == HistoryCopy(state=HistoryCopyState.NOT_NEEDED)
    assert await remote.stop_history_download() == HistoryCopy()
    assert service.times(EXECUTIONS) == 0


async def test_a_whole_copy_tells_how_flows_and_folders_did(service, remote):
    now = time.time_ns() // 1_000_000
    _fill(service, 40)
    for number, row in enumerate(service.state.executions):
        row |= {"createdAt": now - number * 60_000, "updatedAt": now - number * 60_000 + 500}
    flow_id = service.state.flows[0]["id"]
    runs = [row for row in service.state.executions if row["flowId"] == flow_id]
    before = await remote.flow_activity([flow_id]), sum(item.runs for item in await remote.folder_stats())

    await _read(remote)
    (activity,) = await remote.flow_activity([flow_id])
    stats = await remote.folder_stats()

    assert before == ((), 0)
    assert (activity.last.id, len(activity.recent), activity.next_run_at) == (runs[0]["id"], len(runs), None)
    assert sum(item.runs for item in stats) == 40
    assert sum(item.failures for item in stats) == sum(
        row["status"] == "failure" for row in service.state.executions
    )
    assert max(item.last_run_at or 0 for item in stats) == now
