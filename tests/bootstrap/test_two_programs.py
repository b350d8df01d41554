"""Two programs that run the flows of one PostgreSQL database."""

import asyncio
import contextlib
import sys
from urllib.parse import urlsplit

import httpx
import pytest
from tests.support.engine_runtime import EngineRuntime, Shelf
from tests.support.patience import PATIENCE
from tests.support.postgres_databases import location_on
from tests.support.toy_apps import flow

from patchbay.bootstrap.local import open_local, open_worker
from patchbay.cli.worker import health_check_of, require_ready
from patchbay.domain.base import AppKey, FlowId, JsonObject, StepId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import StepChange
from patchbay.domain.paging import PageRequest
from patchbay.domain.peers import ALL_FLOWS, NO_FLOWS, WorkFilter
from patchbay.domain.ports import WebhookRequest
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.server import health_check as health_checks
from patchbay.server.health_check import MAX_FROM_ONE_NETWORK, MAX_HEALTH_CONNECTIONS
from patchbay.storage.postgresql.shared_store import SharedEngineStore


@pytest.fixture
def location(request):
    yield from location_on("postgresql", request)


@pytest.fixture
async def pair(location, tmp_path):
    opened = []
    for name in ("one", "two"):
        paths = AppPaths.choose(str(tmp_path / name))
        opened.append(await open_local(paths, Settings(), passphrase="correct horse", database=location))
        await opened[-1].runtime.start()
    yield opened
    for workspace in opened:
        await workspace.close()


def _catch() -> StepChange:
    return StepChange(app_key=AppKey("webhook"), key="catchRawWebhook")


def _answer(trigger_id: StepId) -> StepChange:
    body = f"Hello {{{{step.{trigger_id}.body.n}}}}"
    parameters: JsonObject = {"statusCode": "200", "body": body}
    return StepChange(app_key=AppKey("webhook"), key="respondWith", parameters=parameters)


async def _published(backend, name="Greet"):
    made = await backend.create_flow(name)
    trigger, action = made.steps
    await backend.update_step(trigger.id, _catch())
    await backend.update_step(action.id, _answer(trigger.id))
    for step in (trigger, action):
        await backend.skip_step_test(step.id)
    await backend.publish_flow(made.id)
    return made


def _only_accept(engine):
    """Let an engine leave all runs to other programs."""
    engine._components.dispatcher.close()
    engine._components.dispatcher.open = lambda: None


def _post(number):
    return WebhookRequest(method="POST", headers={}, query={}, body={"n": number})


@pytest.mark.timeout(60)
async def test_two_servers_share_flows_settings_changes_and_responses(pair):
    first, second = (workspace.runtime for workspace in pair)
    changes = second.backend.changes()
    greet = await _published(first.backend)

    async with asyncio.timeout(PATIENCE):
        while (await anext(changes)).noun is not ResourceType.FLOW:
            pass
        # The first accepts, the second runs: the response travels back.
        await first.backend.pause_runs()
        while second.engine.state != "paused":
            await anext(changes)
        await first.backend.resume_runs()
        while second.engine.state != "running":
            await anext(changes)
        _only_accept(first.engine)
        response = await first.engine.deliver(greet.id, _post(7), synchronous=True)
        assert (response.status, response.body) == (200, "Hello 7")

        for number in range(10):
            await first.engine.deliver(greet.id, _post(number), synchronous=False)
        while (await second.backend.count_executions(ExecutionFilter())).success < 11:
            await anext(changes)

    assert second.engine._components.announcer.finished["success"] == 11
    await first.backend.unpublish_flow(greet.id)


async def _states(backend):
    page = await backend.list_executions(ExecutionFilter(), PageRequest())
    return {item.flow.name: item.state for item in page.items}


@pytest.mark.timeout(60)
async def test_a_worker_runs_only_the_flows_it_is_limited_to_and_responds_to_health_checks(
    location, tmp_path
):
    paths = AppPaths.choose(str(tmp_path / "data"))
    server = await open_local(paths, Settings(), passphrase="correct horse", database=location)
    backend, engine = server.runtime.backend, server.runtime.engine
    one, two = [await _published(backend, name) for name in ("One", "Two")]
    workers = [
        await open_worker(paths, Settings(), database=location, work_filter=work_filter)
        for work_filter in (
            WorkFilter(flows=frozenset({one.id})),
            WorkFilter(apps=frozenset({AppKey("webhook")})),
        )
    ]
    health_check = health_check_of(workers[0].runtime)
    try:
        async with asyncio.timeout(PATIENCE), httpx.AsyncClient() as client:
            address = await health_check.listen("127.0.0.1", 0)
            assert (await client.get(address)).status_code == 503
            await require_ready(workers[0].runtime, WorkFilter(flows=frozenset({one.id})))
            with pytest.raises(ValidationFailed, match="There is no flow with the ID “One”"):
                await require_ready(workers[0].runtime, WorkFilter(flows=frozenset({FlowId("One")})))
            await workers[0].runtime.start(restricted=True)
            assert (await client.get(address)).json()["status"] == "running"

            await server.runtime.start()
            _only_accept(engine)
            for each in (two, one):
                await engine.deliver(each.id, _post(1), synchronous=False)
            while (await _states(backend))["One"] is not ExecutionState.SUCCESS:  # noqa: ASYNC110
                await asyncio.sleep(0)
            assert (await _states(backend))["Two"] is ExecutionState.QUEUED

            await workers[1].runtime.start(restricted=True)
            while (await _states(backend))["Two"] is not ExecutionState.SUCCESS:  # noqa: ASYNC110
                await asyncio.sleep(0)
    finally:
        health_check.close()
        for workspace in (*workers, server):
            await workspace.close()


@pytest.mark.timeout(60)
async def test_a_server_without_runs_leaves_everything_to_a_worker_and_passes_on_its_response(
    location, tmp_path
):
    server = await open_local(
        AppPaths.choose(str(tmp_path / "server")), Settings(), database=location, work_filter=NO_FLOWS
    )
    worker = await open_worker(
        AppPaths.choose(str(tmp_path / "worker")), Settings(), database=location, work_filter=ALL_FLOWS
    )
    try:
        greet = await _published(server.runtime.backend)
        await server.runtime.start(restricted=True)
        await server.runtime.engine.deliver(greet.id, _post(1), synchronous=False)
        assert await _states(server.runtime.backend) == {"Greet": ExecutionState.QUEUED}

        await worker.runtime.start()
        async with asyncio.timeout(PATIENCE):
            response = await server.runtime.engine.deliver(greet.id, _post(7), synchronous=True)
            assert (response.status, response.body) == (200, "Hello 7")
            while (await server.runtime.backend.count_executions(ExecutionFilter())).success < 2:  # noqa: ASYNC110
                await asyncio.sleep(0)
        assert not server.runtime.engine._components.announcer.finished

        health_check = health_check_of(worker.runtime)
        address = (await health_check.listen("127.0.0.1", 0)).replace("healthcheck", "metrics")
        async with httpx.AsyncClient() as client:
            metrics = (await client.get(address)).text
        health_check.close()
        assert 'patchbay_executions_finished_total{state="success"} ' in metrics
        assert "patchbay_history_executions" not in metrics  # of the workspace: servers export it
    finally:
        for workspace in (worker, server):
            await workspace.close()


@pytest.fixture
async def checked(location, tmp_path):
    """The health check of a worker that isn't started, and its port."""
    paths = AppPaths.choose(str(tmp_path))
    worker = await open_worker(paths, Settings(), database=location, work_filter=ALL_FLOWS)
    health_check = health_check_of(worker.runtime)
    yield worker.runtime, urlsplit(await health_check.listen("127.0.0.1", 0)).port
    health_check.close()
    await worker.close()


async def test_slow_connections_do_not_keep_a_health_check_from_working(checked):
    _, port = checked
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MAX_HEALTH_CONNECTIONS)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(PATIENCE):
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 503 ")
            with contextlib.suppress(ConnectionError):
                assert await opened[0][0].read() == b""
            opened[-1][1].write(b"GET / HTTP/1.1\r\n\r\n")
            assert (await opened[-1][0].readline()).startswith(b"HTTP/1.1 503 ")
    finally:
        for _, each in (*opened, (reader, writer)):
            each.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
async def test_connections_of_one_client_leave_room_for_the_health_check_of_another_one(checked):
    _, port = checked
    mine = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
    others = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2 * MAX_HEALTH_CONNECTIONS)]
    try:
        async with asyncio.timeout(PATIENCE):
            for reader, _ in others[:-MAX_FROM_ONE_NETWORK]:
                with contextlib.suppress(ConnectionError):
                    assert await reader.read() == b""
            mine[1].write(b"GET / HTTP/1.1\r\n\r\n")
            assert (await mine[0].readline()).startswith(b"HTTP/1.1 503 ")
    finally:
        for _, each in (*others, mine):
            each.close()


@pytest.mark.parametrize("part", ["", "GET /metrics HTTP/1.1\r\nHost: local"])
async def test_a_connection_without_a_whole_request_ends(checked, monkeypatch, part):
    _, port = checked
    monkeypatch.setattr(health_checks, "_REQUEST_SECONDS", 0.01)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    writer.write(part.encode())
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
    writer.close()


async def test_health_checks_are_only_for_the_names_of_this_computer_and_the_public_one(checked):
    runtime, port = checked
    settings = await runtime.backend.service_settings()
    changed = settings.model_copy(update={"public_address": "https://flows.example.org"})
    await runtime.backend.change_service_settings(changed)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:

        async def status(host):
            return (await client.get("/metrics", headers={"host": host})).status_code

        assert [await status(host) for host in (f"localhost:{port}", "127.0.0.1", "[::1]:1")] == [200] * 3
        assert await status("flows.example.org") == 200
        assert [await status(host) for host in ("evil.example", "", "10.0.0.1")] == [403] * 3


@pytest.mark.parametrize(
    "head",
    [
        "Host: localhost\r\nHost: evil.example",
        "host: localhost\r\nHOST: localhost",
        "Accept: text/plain\nHost: evil.example",
        "Accept: text/plain\rHost: evil.example",
        "Host : evil.example",
        "Accept: text/plain\r\n Host: evil.example",
        "Host",
    ],
)
async def test_a_malformed_head_is_rejected(checked, head):
    _, port = checked
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    writer.write(f"GET /metrics HTTP/1.1\r\n{head}\r\n\r\n".encode())

    async with asyncio.timeout(PATIENCE):
        assert (await reader.readline()).startswith(b"HTTP/1.1 400 ")
    writer.close()


async def test_many_requests_for_metrics_read_the_database_once(checked, monkeypatch):
    runtime, port = checked
    read, reads = runtime.engine.health, []

    async def health():
        reads.append(1)
        return await read()

    monkeypatch.setattr(runtime.engine, "health", health)
    monkeypatch.setattr(health_checks, "METRICS_SECONDS", 3600)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        found = await asyncio.gather(*(client.get("/metrics") for _ in range(8)))

    assert [response.status_code for response in found] == [200] * 8
    assert len(reads) == 1


async def test_a_worker_needs_a_server(tmp_path):
    with pytest.raises(NotSupported, match="need a PostgreSQL database"):
        await open_worker(
            AppPaths.choose(str(tmp_path)), Settings(), database=tmp_path / "x.db", work_filter=WorkFilter()
        )


async def test_a_run_is_cancelled_from_another_program(location):
    programs = []
    for _ in range(2):
        shelf = await Shelf.open(location)
        assert shelf.db.peers is not None
        runtime = EngineRuntime(shelf)
        shelf.store = SharedEngineStore(shelf.db, shelf.db.peers.program_id, runtime.clock)
        engine = runtime.new_engine(peers=shelf.db.peers)
        shelf.db.peers.on_message = engine.on_peer_message
        await shelf.db.peers.join()
        await engine.start()
        programs.append(runtime)
    runner, other = programs
    _only_accept(other.engine)
    await runner.publish(flow("hook", "slow", "echo"))
    await runner.post()
    await runner.until(lambda: runner.toy.inside == 1)
    [running] = await runner.all()

    await other.engine.cancel(running.id)

    assert (await runner.one()).state is ExecutionState.CANCELLED
    for runtime in programs:
        await runtime.engine.stop(grace=1)
        await runtime.shelf.db.peers.leave()
        await runtime.shelf.db.close()
