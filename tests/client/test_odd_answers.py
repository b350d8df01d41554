"""Answers that are cut off, of the wrong shape, from the future, or much too large."""

import asyncio
import gzip
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.support.recorded_client import Pair, recorded

from patchbay.client import responses
from patchbay.client import service_client as service_module
from patchbay.client.compat import compat_page
from patchbay.client.service_client import ServiceClient
from patchbay.domain.base import AppKey, ExecutionId
from patchbay.domain.errors import ServerFault, TimedOut, Unreachable
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import Flow, FlowFilter, StepType
from patchbay.domain.paging import PageRequest

JSON = {"content-type": "application/json"}
PAGE = PageRequest()


@pytest.fixture
async def pair():
    async with recorded() as opened:
        yield opened


def _answer(pair: Pair, content: bytes, headers: dict[str, str] | None = None) -> None:
    pair.service.instead = lambda method, path: (200, {**JSON, **(headers or {})}, content)


def _rows(pair: Pair, *rows: Any, **meta: Any) -> None:
    _answer(pair, json.dumps({"data": list(rows), "meta": {"count": len(rows), **meta}}).encode())


def _run(**changes: Any) -> dict[str, Any]:
    flow = {"id": "f", "name": "Parcels", "steps": []}
    return {"id": "e", "status": "success", "flow": flow, "createdAt": 1, "updatedAt": 2} | changes


@pytest.mark.parametrize(
    "content",
    [
        b"not json",
        b'"text"',
        b"[]",
        b"{}",
        b'{"rows": []}',
        b'{"data": {}}',
        b'{"data": "x"}',
        b'{"data": [{"id": 7}]}',
        b'{"data": [null]}',
        b'\xff\xfe{"data"',
        b'{"data": [' + b"[" * 100_000,
        b'{"data": [{"key": "rss", "name"',
        b"<html><body>Login</body></html>",
    ],
)
async def test_malformed_responses_are_reported_and_never_crash(pair: Pair, content):
    _answer(pair, content)

    for ask in (pair.backend.list_apps, lambda: pair.backend.get_app(AppKey("rss"))):
        with pytest.raises(ServerFault, match=r"127\.0\.0\.1"):
            await ask()


async def test_a_truncated_response_is_requested_again_and_then_reported(pair: Pair):
    _answer(pair, b'{"data": [', {"content-length": "100"})

    with pytest.raises(Unreachable, match="was lost"):
        await pair.backend.list_apps()

    assert len(pair.asked) == 3


async def test_compressed_responses_are_unpacked_and_corrupt_ones_reported(pair: Pair):
    packed = gzip.compress(b'{"data": [], "meta": {"count": 0}}')
    _answer(pair, packed, {"content-encoding": "gzip"})
    assert await pair.backend.list_apps() == ()

    _answer(pair, b"not packed", {"content-encoding": "gzip"})
    with pytest.raises(ServerFault, match="can't be decompressed"):
        await pair.backend.list_apps()


@pytest.mark.parametrize("packed", [False, True])
async def test_an_answer_beyond_all_measure_is_given_up(pair: Pair, monkeypatch, packed):
    monkeypatch.setattr(responses, "MAX_RESPONSE_BYTES", 1024 * 1024)
    content = b'{"data": "' + b"x" * 2_000_000 + b'"}'
    if packed:
        _answer(pair, gzip.compress(content), {"content-encoding": "gzip"})
    else:
        _answer(pair, content)

    with pytest.raises(ServerFault, match="more than 1 MB"):
        await pair.backend.list_apps()


async def test_numbers_as_text_are_numbers(pair: Pair):
    _rows(pair, _run(createdAt="1731000000000", updatedAt="1731000001200"), count="1", currentPage="1")

    page = await pair.backend.list_executions(ExecutionFilter(), PAGE)

    assert (page.total, page.items[0].created_at, page.items[0].duration_ms) == (1, 1731000000000, 1200)


@pytest.mark.parametrize(
    "meta", [None, [], "x", {}, {"count": None}, {"count": "many"}, {"count": -4}, {"count": []}]
)
async def test_a_list_without_usable_figures_shows_its_rows(pair: Pair, meta):
    _answer(pair, json.dumps({"data": [_run()], "meta": meta}).encode())

    assert len((await pair.backend.list_executions(ExecutionFilter(), PAGE)).items) == 1


async def test_an_unknown_status_keeps_the_row_and_is_shown_in_its_own_word(pair: Pair):
    _rows(
        pair,
        _run(id="a", status="paused"),
        _run(id="b", status="waiting"),
        _run(id="c"),
        _run(id="d", status=7),
    )

    runs = (await pair.backend.list_executions(ExecutionFilter(), PAGE)).items

    assert [run.state for run in runs] == [
        ExecutionState.RUNNING,
        ExecutionState.WAITING,
        ExecutionState.SUCCESS,
        ExecutionState.RUNNING,
    ]
    assert runs[0].note == "The server reports “paused”."
    assert runs[2].note is None


async def test_an_unknown_kind_of_step_keeps_the_flow_and_the_step(pair: Pair):
    step = {"id": "s1", "type": "trigger", "appKey": "rss", "position": 1}
    odd = {
        "id": "s2",
        "type": "agent",
        "appKey": "todoist",
        "status": "dreaming",
        "structuralType": "swarm",
        "position": "2",
    }
    broken = {"type": "action"}
    flow = {
        "id": "f",
        "name": "Parcels",
        "active": True,
        "steps": [step, odd, broken, None],
        "executionInterval": "often",
    }
    pair.service.instead = lambda method, path: (
        (200, JSON, json.dumps({"data": [flow], "meta": {"count": 1}}).encode())
        if path.startswith("/api/v1/flows")
        else None
    )

    (shown,) = (await pair.backend.list_flows(FlowFilter(), PAGE)).items

    assert shown.app_keys == ("rss", "todoist")
    assert [(item.type, item.position) for item in shown.steps] == [
        (StepType.TRIGGER, 1),
        (StepType.ACTION, 2),
    ]
    assert (shown.active, shown.execution_interval) == (True, 15)


async def test_null_where_something_should_be_leaves_the_rest(pair: Pair):
    app = {"key": "rss", "name": None, "iconUrl": None, "authDocUrl": None, "supportsConnections": None}
    _rows(pair, app, {"key": None, "name": "Nothing"}, None, "row")

    (shown,) = await pair.backend.list_apps()

    assert (shown.key, shown.name, shown.icon_url) == ("rss", "Without a name", "")


@pytest.mark.parametrize(
    "flow", [None, [], "x", {}, {"id": None, "name": None}, {"steps": None}, {"steps": [{"id": 1}]}]
)
async def test_a_flow_that_is_not_described_leaves_its_execution_in_the_list(pair: Pair, flow):
    _rows(pair, _run(flow=flow), _run(id="b"))

    runs = (await pair.backend.list_executions(ExecutionFilter(), PAGE)).items

    assert [run.id for run in runs] == ["e", "b"]


@pytest.mark.parametrize("data", [None, [], {}, "x", {"id": None}, {"state": "unheard of"}])
async def test_one_execution_that_cannot_be_read_is_reported(pair: Pair, data):
    _answer(pair, json.dumps({"data": data, "meta": {}}).encode())

    with pytest.raises(ServerFault):
        await pair.backend.get_execution(ExecutionId("e"))


async def test_nothing_at_all_is_an_empty_list(pair: Pair):
    _answer(pair, b"")

    assert await pair.backend.list_apps() == ()


async def test_an_answer_that_trickles_without_end_is_given_up(monkeypatch):
    async def trickle():
        while True:
            yield b" "
            await asyncio.sleep(0.001)

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=trickle())

    monkeypatch.setattr(service_module, "RESPONSE_TIMEOUT_SECONDS", 0.05)
    service = ServiceClient("http://flows.example.org", "k", transport=httpx.MockTransport(answer))

    with pytest.raises(TimedOut):
        await service.get("/v1/apps")

    await service.close()


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ([b": connected\n\ndata: {}\n"], [": connected", "", "data: {}"]),
        ([b"da", b"ta: gr\xc3", b"\xbc\xc3\x9fe\r\n", b"cut off"], ["data: grüße"]),
    ],
)
async def test_announcements_come_line_by_line_however_they_are_cut(sent, read):
    async def parts():
        for part in sent:
            yield part

    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=parts()))
    service = ServiceClient("http://flows.example.org", "k", transport=transport)

    async with service.stream("/v1/events", 1) as lines:
        assert [line async for line in lines] == read

    await service.close()


async def test_an_announcement_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(responses, "MAX_LINE_LENGTH", 1024)
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=b"x" * 5000))
    service = ServiceClient("http://flows.example.org", "k", transport=transport)

    with pytest.raises(ServerFault, match="sent a response of more"):
        async with service.stream("/v1/events", 1) as lines:
            await anext(lines)

    await service.close()


def _listed(pair: Pair, count: int, size: int, *, told: bool = True, paged: bool = True) -> None:
    """A list of so many flows in pages of another size; with or without saying how many there are."""
    flows = [{"id": f"f{number}", "name": f"Flow {number}", "steps": []} for number in range(count)]

    def answer(method: str, path: str) -> tuple[int, dict[str, str], bytes] | None:
        if path != "/api/v1/flows":
            return None
        page = int(parse_qs(urlsplit(pair.service.asked[-1]).query)["page"][0]) if paged else 1
        part = flows[(page - 1) * size : page * size]
        meta = {"count": count} if told else {}
        return 200, JSON, json.dumps({"data": part, "meta": meta}).encode()

    pair.service.instead = answer


@pytest.mark.parametrize(
    ("size", "told"), [(5, True), (10, True), (25, True), (10, False), (25, False), (100, False)]
)
@pytest.mark.parametrize(
    ("page", "numbers"),
    [
        (PageRequest(limit=200), range(60)),
        (PageRequest(page=3, limit=20), range(40, 60)),
        (PageRequest(limit=7, cursor="31"), range(31, 38)),
        (PageRequest(page=99), range(0)),
    ],
)
async def test_pages_of_another_size_than_ten_are_noticed(pair: Pair, size, told, page, numbers):
    _listed(pair, 60, size, told=told)

    found = await compat_page(pair.backend._adapter.pages, Flow, "/v1/flows", {}, page)

    assert [flow.name for flow in found.items] == [f"Flow {number}" for number in numbers]
    if told:
        assert found.total == 60
        assert (found.next_cursor is None) is (numbers.stop in (0, 60))


async def test_a_list_without_pages_is_one(pair: Pair):
    _listed(pair, 30, 30, told=False, paged=False)

    found = await compat_page(pair.backend._adapter.pages, Flow, "/v1/flows", {}, PageRequest(limit=200))

    assert len(found.items) == found.total == 30
    assert len(pair.asked) <= 3


async def test_people_without_a_count_are_read_to_the_end(pair: Pair):
    people = [{"id": str(number), "fullName": "Zoe", "email": "z@example.org"} for number in range(25)]

    def answer(method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        page = int(parse_qs(urlsplit(pair.service.asked[-1]).query).get("page", ["1"])[0])
        return 200, JSON, json.dumps({"data": people[(page - 1) * 10 : page * 10]}).encode()

    pair.service.instead = answer

    assert len(await pair.backend.list_users()) == 25
