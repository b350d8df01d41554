"""Bodies in chunks that cost more than they carry: refused, and parsed in turns with everything else."""

import asyncio
from typing import Any

import pytest
from tests.support.bombs.chunks import TARGETS, TINY_CHUNKS, chunked
from tests.support.forms import in_forms, long_form
from tests.support.patience import PATIENCE
from tests.support.raw_http import Wire, ask, request, wire

from patchbay.server.http_protocol import MAX_TINY_CHUNKS, SLICE_BYTES, TINY_CHUNK_BYTES, PacedReading

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("target", TARGETS)
async def test_a_body_of_tiny_chunks_is_refused(service, target):
    answer = await ask(service.base_url, chunked(target, b" ", MAX_TINY_CHUNKS + 1))

    assert answer.status == 400
    assert "tiny chunks" in answer.json["errors"]["general"][0]
    assert answer.headers["connection"] == "close"


@long_form
@pytest.mark.parametrize("name", in_forms([*TINY_CHUNKS], short=[next(iter(TINY_CHUNKS))]))
async def test_megabytes_of_tiny_chunks_are_not_read(service, name):
    async with asyncio.timeout(PATIENCE), wire(service.base_url) as connection:
        with pytest.raises(ConnectionError):
            await _send_until_closed(connection, TINY_CHUNKS[name])

    assert (await ask(service.base_url, request("/healthcheck"))).status == 200


async def _send_until_closed(connection: Wire, data: bytes) -> None:
    while True:
        await connection.send(data)
        data = b"x"
        await asyncio.sleep(0)


@pytest.mark.parametrize(("size", "number"), [(1, MAX_TINY_CHUNKS), (TINY_CHUNK_BYTES, 5 * MAX_TINY_CHUNKS)])
async def test_modest_chunks_are_put_together(service, webhook_flow, size, number):
    called = chunked(f"/webhooks/flows/{webhook_flow.id}", b"x" * size, number, "Content-Type: text/plain")

    async with wire(service.base_url) as connection:
        for _ in range(2):  # each request of a connection is counted by itself
            await connection.send(called)
            assert (await connection.answer()).status in (200, 204)


@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [("/x", (), 404), ("/v1/folders", (), 401), ("/v1/folders", ("x-api-token: guessed",), 401)],
)
async def test_the_body_of_a_stranger_is_not_waited_for(service, target, headers, status):
    head = request(target, *headers, "Content-Length: 1000", method="POST")

    assert (await ask(service.base_url, head)).status == status


class Transport:
    """Notes whether it would read."""

    reads, closing = True, False

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def is_closing(self) -> bool:
        return self.closing


async def test_received_bytes_are_parsed_in_turns_with_everything_else():
    transport: Any = Transport()
    seen: list[Any] = []
    loop = asyncio.get_running_loop()
    reading = PacedReading(transport, loop, seen.append)

    reading.receive(b"x" * (3 * SLICE_BYTES + 5))
    assert (len(seen), transport.reads) == (1, False)
    while not transport.reads:
        before = len(seen)
        await asyncio.sleep(0)
        assert len(seen) <= before + 1

    assert [len(part) for part in seen] == [SLICE_BYTES, SLICE_BYTES, SLICE_BYTES, 5]


async def test_nothing_is_parsed_while_the_application_wants_no_more():
    transport: Any = Transport()
    seen: list[Any] = []
    loop = asyncio.get_running_loop()
    reading = PacedReading(transport, loop, seen.append)
    reading.receive(b"x" * 2 * SLICE_BYTES)
    reading.pause_reading()

    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (len(seen), transport.reads) == (1, False)
    reading.resume_reading()
    await asyncio.sleep(0)

    assert (len(seen), transport.reads) == (2, True)


async def test_nothing_is_parsed_after_the_end():
    transport: Any = Transport()
    seen: list[Any] = []
    loop = asyncio.get_running_loop()
    reading = PacedReading(transport, loop, seen.append)
    reading.receive(b"x" * 2 * SLICE_BYTES)
    transport.closing = True

    await asyncio.sleep(0)

    assert len(seen) == 1
