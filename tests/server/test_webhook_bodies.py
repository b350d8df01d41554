"""Files that are sent to webhooks, and bodies that do not come to an end."""

import asyncio
import base64
import json
import time
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.routing import Route
from tests.support import patient
from tests.support.patience import PATIENCE
from tests.support.raw_http import connect

from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.paging import PageRequest
from patchbay.domain.ports import BodyReader, WebhookRequest, WebhookResponse
from patchbay.server import request_bodies
from patchbay.server.app import create_app
from patchbay.server.listener import HttpListener
from patchbay.server.request_bodies import DecodingThreads
from patchbay.server.webhook_limits import BodyMemory, ConcurrencyLimit
from patchbay.server.webhooks import BodyDecoder, CallPurpose, WebhookEndpoint

MB = 1024 * 1024
ADDRESS = f"/webhooks/flows/{uuid4()}"
PICTURE = bytes(range(256)) * 4


class Intake:
    """Takes everything and remembers it."""

    max_body_bytes = 10 * MB

    def __init__(self) -> None:
        self.requests: list[WebhookRequest] = []

    async def deliver(
        self, flow_id: str, request: WebhookRequest, *, synchronous: bool, read_body: BodyReader
    ) -> WebhookResponse:
        self.requests.append(request.model_copy(update={"body": await read_body()}))
        return WebhookResponse()

    async def deliver_test(
        self, flow_id: str, request: WebhookRequest, *, read_body: BodyReader
    ) -> WebhookResponse:
        return await self.deliver(flow_id, request, synchronous=False, read_body=read_body)

    async def check_webhook(self, flow_id: str, *, test: bool) -> None:
        return None

    async def record_rejection(self, flow_id: str, error: AppError) -> None:
        return None


@pytest.fixture
def intake():
    return Intake()


@pytest.fixture
async def base_url(runtime, intake):
    app = create_app(runtime.backend, intake, runtime.backend.api_keys, version="1")
    listener = HttpListener(app, "127.0.0.1", 0)
    yield await listener.start()
    await listener.stop(grace=1)


@pytest.fixture
async def anybody(base_url):
    async with patient.AsyncClient(base_url=base_url) as client:
        yield client


def _head(*lines: str) -> bytes:
    return "\r\n".join([f"POST {ADDRESS} HTTP/1.1", "host: 127.0.0.1", *lines, "", ""]).encode()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], Any]:
    """The status, headers and document of the one answer after which the connection is closed."""
    async with asyncio.timeout(PATIENCE):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, json.loads(body)


async def test_files_of_a_form_are_objects_under_their_fields(anybody, intake):
    files = [("photo", ("Käse.png", PICTURE, "image/png")), ("photo", ("b.txt", b"two", "text/plain"))]

    answer = await anybody.post(ADDRESS, data={"title": "Hello"}, files=[*files, ("one", ("c", b""))])

    assert answer.status_code == 204
    body = intake.requests[0].body
    assert body["title"] == "Hello"
    assert [item["name"] for item in body["photo"]] == ["Käse.png", "b.txt"]
    assert base64.b64decode(body["photo"][0]["base64"]) == PICTURE
    assert (body["photo"][0]["contentType"], body["photo"][0]["size"]) == ("image/png", 1024)
    assert body["one"] == {"name": "c", "contentType": "application/octet-stream", "size": 0, "base64": ""}


@pytest.mark.parametrize("charset", ["klingon", "iso-8859-1", "UTF-8"])
async def test_json_is_read_as_utf_8_whatever_charset_is_named(anybody, intake, charset):
    headers = {"content-type": f"application/json; charset={charset}"}

    good = await anybody.post(ADDRESS, content='{"name": "Zoë"}'.encode(), headers=headers)
    bad = await anybody.post(ADDRESS, content='{"name": "Zoë"}'.encode("latin-1"), headers=headers)

    assert (good.status_code, bad.status_code) == (204, 400)
    assert [request.body for request in intake.requests] == [{"name": "Zoë"}]


async def test_a_file_field_left_empty_is_null(anybody, intake):
    content = b'--x\r\nContent-Disposition: form-data; name="doc"; filename=""\r\n\r\n\r\n--x--\r\n'

    await anybody.post(ADDRESS, content=content, headers={"content-type": "multipart/form-data; boundary=x"})

    assert intake.requests[0].body == {"doc": None}


async def test_a_form_with_files_may_be_larger_than_other_bodies(anybody, intake):
    answer = await anybody.post(ADDRESS, files={"doc": ("d.bin", b"x" * 9 * MB)})

    assert answer.status_code == 204
    assert intake.requests[0].body["doc"]["size"] == 9 * MB
    assert len(intake.requests[0].raw_body) > 9 * MB


async def test_a_file_that_was_sent_is_there_for_the_steps_after(runtime, stranger, webhook_flow):
    files = {"doc": ("d.bin", PICTURE, "application/pdf")}

    await stranger.post(f"/webhooks/flows/{webhook_flow.id}", files=files)

    runs = await runtime.backend.list_executions(ExecutionFilter(), PageRequest())
    trigger, *_ = await runtime.backend.execution_steps(runs.items[0].id)
    assert base64.b64decode(trigger.data_out["body"]["doc"]["base64"]) == PICTURE


async def test_a_caller_that_waits_for_the_go_ahead_sends_nothing_that_is_too_large(base_url, intake):
    reader, writer = await connect(base_url)
    writer.write(_head(f"content-length: {50 * MB}", "expect: 100-continue"))

    status, headers, body = await _answer(reader)

    assert (status, headers["connection"], body["meta"]["type"]) == (413, "close", "ModelValidation")
    assert "10 MB" in body["errors"]["general"][0]
    writer.close()


async def test_a_body_without_a_length_is_counted_while_it_arrives(anybody, intake):
    async def endless():
        for _ in range(11):
            yield b"x" * MB

    answer = await anybody.post(ADDRESS, content=endless())

    assert (answer.status_code, intake.requests) == (413, [])
    assert (await anybody.post(ADDRESS, content=b"x")).status_code == 204


@pytest.mark.parametrize("length", [100, MB])
async def test_a_body_that_does_not_come_to_an_end_is_given_up(base_url, intake, monkeypatch, length):
    monkeypatch.setattr(request_bodies, "DEFAULT_BODY_LIMITS", request_bodies.BodyLimits(seconds=0.3))
    monkeypatch.setattr("patchbay.server.webhooks.DEFAULT_BODY_LIMITS", request_bodies.DEFAULT_BODY_LIMITS)
    reader, writer = await connect(base_url)
    writer.write(_head(f"content-length: {length}") + b"x")

    async def byte_by_byte() -> None:
        for _ in range(50):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    sending = asyncio.ensure_future(byte_by_byte())
    status, headers, body = await _answer(reader)

    assert (status, headers["connection"], body["meta"]["type"]) == (408, "close", "TimedOut")
    assert intake.requests == []
    sending.cancel()
    writer.close()


async def test_for_an_address_of_no_flow_nothing_of_the_body_is_read(service):
    reader, writer = await connect(service.base_url)
    writer.write(_head(f"content-length: {50 * MB}", "expect: 100-continue"))

    async with asyncio.timeout(PATIENCE):
        head = await reader.readuntil(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 404 ")
    writer.close()


async def test_bodies_that_take_all_memory_are_refused_and_given_back(intake, runtime):
    memory = BodyMemory(limit=3 * MB)
    endpoint = WebhookEndpoint(intake, CallPurpose.START, ConcurrencyLimit(9), memory, BodyDecoder())
    go_on = asyncio.Event()

    async def held(*args: object, **named: Any) -> WebhookResponse:
        await go_on.wait()
        return WebhookResponse()

    intake.deliver = held
    app = create_app(runtime.backend, None, runtime.backend.api_keys, version="1")
    app.router.routes.insert(0, Route("/webhooks/flows/{flowId}", endpoint))
    transport = httpx.ASGITransport(app)
    async with patient.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        calls = [asyncio.create_task(client.post(ADDRESS, content=b"x" * (MB - 9))) for _ in range(4)]
        ended, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        go_on.set()
        answers = await asyncio.gather(*calls)

    assert [call.result().status_code for call in ended] == [503]
    assert sorted(answer.status_code for answer in answers) == [204, 204, 204, 503]
    assert memory.used == 0


async def test_one_long_body_is_decoded_at_a_time():
    threads = DecodingThreads()
    running = 0
    most = 0

    def decode() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.05)  # the others would begin meanwhile
        running -= 1

    await asyncio.gather(*(threads.run(b"x" * MB, decode) for _ in range(3)))

    assert (most, running) == (1, 0)
