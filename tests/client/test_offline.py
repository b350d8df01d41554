"""A service that stops answering and comes back, with real servers on one port."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from tests.support.tiny_service import TinyService
from tests.support.workspace import open_runtime

from patchbay.client.remote import RemoteBackend
from patchbay.client.service_adapter import Dialect, InMemoryDialectStore
from patchbay.domain.changes import ResourceType
from patchbay.domain.error_wire import to_wire
from patchbay.domain.errors import Forbidden, NotFound, ServerFault, TimedOut, Unreachable
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest
from patchbay.server.app import create_app
from patchbay.server.listener import HttpListener
from patchbay.service.api_keys import StoredApiKeys
from patchbay.storage.remote_cache import StoredRemoteCache, cache_path, delete_cache

KEY = "very-secret-key"
APPS = [{"key": "rss", "name": "RSS"}]


@pytest.fixture
async def service():
    running = TinyService(answers=_answers)
    await running.start()
    yield running
    await running.stop()


def _answers(method, target):
    if target.startswith("/v1/apps"):
        return 200, {"data": APPS, "meta": {}}
    if target.startswith("/v1/flows"):
        return 200, {"data": [], "meta": {"count": 0}}
    return 404, None


def _opened(service, path, **more):
    remote = RemoteBackend(service.address, KEY, remote_cache=StoredRemoteCache(path), **more)
    remote._adapter.service.connectivity._first_wait = 0.01
    return remote


async def _names(remote):
    return [app.name for app in await remote.list_apps()]


async def _until_notified(changes):
    while (await anext(changes)).noun is not ResourceType.WORKSPACE:
        pass


@pytest.fixture
async def remote(service, tmp_path):
    opened = _opened(service, tmp_path / "kept.db")
    yield opened
    await opened.close()


async def test_while_it_is_silent_the_last_answers_are_given_and_marked(service, remote):
    assert await _names(remote) == ["RSS"]
    assert (await remote.info()).offline_since is None
    await service.stop()

    assert await _names(remote) == ["RSS"]

    assert (await remote.info()).offline_since is not None


async def test_requests_to_a_known_offline_server_fail_at_once(service, remote):
    await _names(remote)
    await service.stop()
    await _names(remote)
    before = service.connections

    for _ in range(50):
        await _names(remote)

    assert service.connections == before


async def test_what_was_never_looked_at_is_said_to_be(service, remote):
    await _names(remote)
    await service.stop()
    await _names(remote)

    with pytest.raises(Unreachable, match="hasn't been loaded before"):
        await remote.list_templates()


async def test_changes_are_rejected_with_a_clear_error_while_offline(service, remote):
    await _names(remote)
    await service.stop()
    await _names(remote)

    with pytest.raises(
        Unreachable, match=r"hasn't been reachable since \d\d:\d\d. Nothing was changed"
    ) as refused:
        await remote.delete_flow("x")

    assert refused.value.meaning == "You're viewing data from then."


async def test_a_server_that_is_back_online_is_announced_and_read_again(service, remote, monkeypatch):
    changes = remote.changes()
    told = asyncio.ensure_future(_until_notified(changes))
    await _names(remote)
    await service.stop()
    await _names(remote)
    await told

    back = asyncio.ensure_future(_until_notified(changes))
    service.answers = lambda method, target: (200, {"data": [], "meta": {}})
    await service.start()
    await back

    assert (await remote.info()).offline_since is None
    assert await _names(remote) == []


async def test_a_write_to_an_unreachable_server_is_the_first_sign(service, remote):
    told = asyncio.ensure_future(_until_notified(remote.changes()))
    await _names(remote)
    await service.stop()

    with pytest.raises(Unreachable, match=r"was lost|Couldn't reach"):
        await remote.delete_flow("x")
    await told

    assert (await remote.info()).offline_since is not None


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_gateway_error_counts_as_offline(service, remote, status):
    await _names(remote)
    service.answers = lambda method, target: (status, None)

    assert await _names(remote) == ["RSS"]

    assert (await remote.info()).offline_since is not None


@pytest.mark.parametrize(("status", "kind"), [(401, ServerFault), (403, Forbidden), (404, NotFound)])
async def test_a_refusal_is_not_silence(service, remote, status, kind):
    await _names(remote)
    service.answers = lambda method, target: (status, None)

    with pytest.raises(kind):
        await remote.get_app("rss")

    assert remote._adapter.service.connectivity.offline_since is None


async def test_what_one_of_our_services_says_of_others_is_not_silence(service, remote):
    await _names(remote)
    body = to_wire(Unreachable("The mail server cannot be reached."))
    service.answers = lambda method, target: (503, body)

    with pytest.raises(Unreachable, match="mail server"):
        await _names(remote)

    assert remote._adapter.service.connectivity.offline_since is None


async def test_without_a_place_to_keep_answers_everything_is_as_it_is(service):
    remote = RemoteBackend(service.address, KEY)
    await _names(remote)
    await service.stop()

    for _ in range(2):
        with pytest.raises(Unreachable, match="Couldn't reach"):
            await _names(remote)
    await remote.close()


async def test_a_workspace_opens_on_its_last_answers(service, tmp_path):
    dialects = InMemoryDialectStore()
    before = _opened(service, tmp_path / "kept.db", dialect_store=dialects)
    await before.open()
    await _names(before)
    await before.close()
    await service.stop()

    again = _opened(service, tmp_path / "kept.db", dialect_store=dialects)
    await again.open()

    assert dialects.dialect == Dialect()
    assert await _names(again) == ["RSS"]
    assert (await again.info()).offline_since is not None
    await again.close()


async def test_a_workspace_never_seen_does_not_open_without_its_service(service, tmp_path):
    await service.stop()
    remote = _opened(service, tmp_path / "kept.db")

    with pytest.raises(Unreachable, match="Couldn't reach"):
        await remote.open()

    await remote.close()


async def test_the_file_is_private_and_holds_no_key(service, remote, tmp_path):
    await _names(remote)
    await remote._remote_cache.responses.get("anything")  # what was kept before this is written now

    files = list(tmp_path.glob("kept.db*"))
    if os.name == "posix":
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert KEY.encode() not in b"".join(file.read_bytes() for file in files)


async def test_a_damaged_file_is_replaced(service, tmp_path):
    (tmp_path / "kept.db").write_bytes(b"no database" * 1000)
    remote = _opened(service, tmp_path / "kept.db")
    assert await _names(remote) == ["RSS"]
    await service.stop()

    assert await _names(remote) == ["RSS"]
    await remote.close()


async def test_a_place_that_cannot_be_written_changes_nothing_but_that(service, tmp_path):
    (tmp_path / "taken").write_text("a file where a folder is wanted")
    remote = _opened(service, tmp_path / "taken" / "kept.db")
    assert await _names(remote) == ["RSS"]
    await service.stop()

    with pytest.raises(Unreachable):
        await _names(remote)
    await remote.close()


async def test_what_is_kept_is_bounded_and_the_oldest_goes_first(tmp_path):
    memory = StoredRemoteCache(tmp_path / "kept.db", max_bytes=100_000)
    for number in range(30):
        memory.responses.put(f"question {number}", os.urandom(10_000))
        await memory.responses.get("question 0")

    kept = [number for number in range(30) if await memory.responses.get(f"question {number}")]

    assert kept[0] == 0
    assert kept[1:] == list(range(31 - len(kept), 30))
    assert 5 <= len(kept) <= 10
    await memory.close()


async def test_forgetting_a_service_deletes_what_was_kept_of_it(tmp_path):
    address = "https://flows.example.org"
    memory = StoredRemoteCache(cache_path(tmp_path, address))
    memory.responses.put("a question", b"{}")
    await memory.close()
    assert cache_path(tmp_path, address + "/").exists()
    assert "example" not in cache_path(tmp_path, address).name

    assert delete_cache(tmp_path, address)

    assert list(tmp_path.iterdir()) == []


async def test_a_question_that_takes_long_is_not_silence_while_others_are_answered(service, tmp_path):
    opened = _opened(service, tmp_path / "kept.db", timeout=0.3)
    await opened.open()
    slow = asyncio.Event()
    plain = service.answer

    async def answer(head, reader, writer):
        if "/v1/templates" in head:
            await slow.wait()
        await plain(head, reader, writer)

    service.answer = answer
    asking = asyncio.ensure_future(opened.list_templates())
    while not asking.done():
        await _names(opened)
        await asyncio.sleep(0.01)

    with pytest.raises(TimedOut):
        await asking
    assert opened._adapter.service.connectivity.offline_since is None
    slow.set()
    await opened.close()


# With our own service, whose announcements end first


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path)
    yield opened
    await opened.close()


async def _serve(runtime, port=0):
    app = create_app(runtime.backend, runtime.engine, StoredApiKeys(runtime.db, runtime.clock), version="1")
    listener = HttpListener(app, "127.0.0.1", port)
    return listener, await listener.start()


async def test_the_loss_of_the_announcements_is_the_first_sign(runtime, tmp_path):
    made = await StoredApiKeys(runtime.db, runtime.clock).create("test")
    await runtime.backend.create_flow()
    listener, address = await _serve(runtime)
    remote = RemoteBackend(address, made.value, remote_cache=StoredRemoteCache(tmp_path / "kept.db"))
    line = remote._adapter.service.connectivity
    line._first_wait = 0.01
    changes = remote.changes()
    following = asyncio.ensure_future(_until_notified(changes))
    flows = await remote.list_flows(FlowFilter(), PageRequest())
    await remote.info()
    await _connected(remote)

    await listener.stop(grace=1)
    await following

    info = await remote.info()
    assert info.offline_since is not None
    assert await remote.list_flows(FlowFilter(), PageRequest()) == flows
    back = asyncio.ensure_future(_until_notified(changes))
    listener, _ = await _serve(runtime, int(address.rpartition(":")[2]))
    await back
    assert (await remote.info()).offline_since is None
    await remote.close()
    await listener.stop(grace=1)


async def _connected(remote):
    """Wait until announcements arrive: a change of ours comes back as one."""
    seen = remote.changes()
    arrived = asyncio.ensure_future(anext(seen))
    while not arrived.done():
        await remote.create_folder("Again")
        await asyncio.sleep(0.01)
    await seen.aclose()


async def test_another_key_never_shows_what_was_kept_with_the_one_before(runtime, tmp_path):
    keys = StoredApiKeys(runtime.db, runtime.clock)
    first, second = (await keys.create("first")).value, (await keys.create("second")).value
    await runtime.backend.create_flow("Payroll of the admin")
    listener, address = await _serve(runtime)

    async def names(key: str, kept: Path) -> list[str]:
        remote = RemoteBackend(address, key, remote_cache=StoredRemoteCache(kept))
        try:
            return [flow.name for flow in (await remote.list_flows(FlowFilter(), PageRequest())).items]
        finally:
            await remote.close()

    kept = cache_path(tmp_path, address)
    assert await names(first, kept) == ["Payroll of the admin"]
    assert first.encode() not in kept.read_bytes()
    await listener.stop(grace=1)

    assert await names(first, kept) == ["Payroll of the admin"]
    with pytest.raises(Unreachable):
        await names(second, kept)
    with pytest.raises(Unreachable):
        await names(first, kept)


async def test_two_windows_with_different_keys_share_no_answers(tmp_path):
    windows = [StoredRemoteCache(tmp_path / "kept.db") for _ in range(2)]
    for memory, owner in zip(windows, ("ada", "eve"), strict=True):
        memory.bind(owner)
        memory.responses.put("flows", owner.encode())

    read = [await memory.responses.get("flows") for memory in (*windows, windows[0])]

    assert all(answer in (None, owner) for answer, owner in zip(read, (b"ada", b"eve", b"ada"), strict=True))
    for memory in windows:
        await memory.close()


async def test_a_command_with_another_key_leaves_what_the_window_kept(tmp_path):
    window, command = (
        StoredRemoteCache(tmp_path / "kept.db"),
        StoredRemoteCache(tmp_path / "kept.db", with_copies=False),
    )
    window.bind("ada")
    window.responses.put("flows", b"{}")
    assert await window.responses.get("flows") == b"{}"

    command.bind("eve")
    await command.write_note("dialect", "ours")

    assert (await window.responses.get("flows"), await window.note("dialect")) == (b"{}", "ours")
    for memory in (window, command):
        await memory.close()
