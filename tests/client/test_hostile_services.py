"""A server that attacks its clients: their key, memory, or time."""

import gzip
import zlib

import pytest
from tests.support.tiny_service import TinyServer, TinyService, header

from patchbay.client import responses
from patchbay.client.errors import ServerMoved
from patchbay.client.remote import RemoteBackend
from patchbay.client.service_client import ServiceClient, build_path
from patchbay.domain.errors import AppError, NotFound, ServerFault

KEY = "k" * 96


class Hostile(TinyServer):
    """Answers every request with these bytes."""

    def __init__(self, reply: bytes) -> None:
        super().__init__()
        self.reply = reply

    async def answer(self, head, reader, writer):
        if length := header(head, "content-length"):
            await reader.readexactly(int(length))
        writer.write(self.reply)
        await writer.drain()


@pytest.fixture
async def hostile():
    running: list[TinyServer] = []

    async def start(reply: bytes) -> TinyServer:
        running.append(Hostile(reply))
        await running[-1].start()
        return running[-1]

    yield start
    for server in running:
        await server.stop()


@pytest.fixture
async def ask():
    opened: list[ServiceClient] = []

    async def asked(server: TinyServer, method: str = "GET", body: object = None):
        opened.append(ServiceClient(server.address, KEY))
        return await opened[-1].send(method, "/v1/flows", body, safe=method == "GET")

    yield asked
    for service in opened:
        await service.close()


def _reply(content: bytes = b"", *lines: str, status: int = 200) -> bytes:
    head = [f"HTTP/1.1 {status} X", f"content-length: {len(content)}", *lines, "", ""]
    return "\r\n".join(head).encode() + content


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_the_key_goes_nowhere_else_however_the_service_sends_one_on(hostile, ask, method, status):
    elsewhere = TinyService()
    await elsewhere.start()
    service = await hostile(_reply(b"", f"location: {elsewhere.address}/v1/flows", status=status))

    with pytest.raises(ServerMoved):
        await ask(service, method, {"name": "Orders"} if method == "POST" else None)

    assert (len(service.heads), elsewhere.connections) == (1, 0)
    await elsewhere.stop()


async def test_the_address_a_user_is_sent_to_is_shortened(hostile, ask):
    service = await hostile(_reply(b"", f"location: https://other.example/{'x' * 50_000}", status=302))

    with pytest.raises(ServerMoved) as told:
        await ask(service)

    assert len(told.value.text()) < 1000


@pytest.mark.parametrize("coding", ["gzip, gzip", "deflate,gzip", "gzip, identity"])
async def test_what_is_packed_more_than_once_is_not_unpacked(hostile, ask, coding):
    bomb = gzip.compress(gzip.compress(b"0" * 1_000_000))
    service = await hostile(_reply(bomb, f"content-encoding: {coding}"))

    with pytest.raises(ServerFault, match="can't be decompressed"):
        await ask(service)


async def test_announcements_packed_more_than_once_are_not_unpacked_either(hostile):
    service = await hostile(
        _reply(zlib.compress(zlib.compress(b": connected\n")), "content-encoding: deflate, deflate")
    )
    client = ServiceClient(service.address, KEY)

    with pytest.raises(ServerFault, match="can't be decompressed"):
        async with client.stream("/v1/events", 1) as lines:
            assert [line async for line in lines] == []
    await client.close()


async def test_a_small_answer_that_grows_beyond_all_measure_is_given_up(hostile, ask, monkeypatch):
    monkeypatch.setattr(responses, "MAX_RESPONSE_BYTES", 1_000_000)
    service = await hostile(_reply(gzip.compress(b"0" * 5_000_000), "content-encoding: gzip"))

    with pytest.raises(ServerFault, match="more than"):
        await ask(service)


async def test_cookies_are_neither_kept_nor_sent(hostile):
    service = await hostile(_reply(b'{"data": []}', "set-cookie: follow=me", "set-cookie: more=1; path=/"))
    client = ServiceClient(service.address, KEY)

    for _ in range(2):
        assert (await client.get("/v1/flows")).rows() == []
    await client.close()

    assert [header(head, "cookie") for head in service.heads] == ["", ""]


@pytest.mark.parametrize(
    "given",
    ["../users", "..", ".", "", "%2e%2e", "a/b", "a?b=c", "a#b", "a\r\nx-more: 1", "\x00", "a\\b", "ü"],
)
async def test_whatever_an_id_is_it_stays_in_its_segment(given):
    service = TinyService()
    await service.start()
    backend = RemoteBackend(service.address, KEY)

    try:
        await backend.get_execution(given)
    except AppError:
        pass
    finally:
        await backend.close()

    targets = [head.split(" ")[1] for head in service.heads]
    assert {target.partition("?")[0].rpartition("/")[0] for target in targets} <= {"/v1", "/v1/executions"}
    assert not [head for head in service.heads if header(head, "x-more")]
    await service.stop()


@pytest.mark.parametrize("given", ["", ".", ".."])
def test_an_id_that_would_name_something_else_names_nothing(given):
    with pytest.raises(NotFound):
        build_path("/v1/flows/{id}/steps", id=given)
