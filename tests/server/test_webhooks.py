"""The addresses that start flows."""

from uuid import uuid4

import pytest
from tests.support import patient

from patchbay.domain.errors import AppError, Unreachable
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.paging import PageRequest
from patchbay.domain.ports import BodyReader, WebhookRequest, WebhookResponse
from patchbay.server.app import create_app
from patchbay.server.listener import HttpListener

MB = 1024 * 1024
ADDRESS = f"/webhooks/flows/{uuid4()}"


class Intake:
    """Remembers what was delivered and answers as told."""

    max_body_bytes = 10 * MB

    def __init__(self) -> None:
        self.requests: list[WebhookRequest] = []
        self.tests: list[WebhookRequest] = []
        self.looked_up: list[str] = []
        self.refused: list[AppError] = []
        self.answer = WebhookResponse()
        self.starting = False

    async def deliver(
        self, flow_id: str, request: WebhookRequest, *, synchronous: bool, read_body: BodyReader
    ) -> WebhookResponse:
        if self.starting:
            raise Unreachable("The engine is starting.", todo="Try again in a moment.")
        self.requests.append(request.model_copy(update={"body": await read_body()}))
        return self.answer

    async def deliver_test(
        self, flow_id: str, request: WebhookRequest, *, read_body: BodyReader
    ) -> WebhookResponse:
        self.tests.append(request)
        return self.answer

    async def check_webhook(self, flow_id: str, *, test: bool) -> None:
        self.looked_up.append(flow_id)

    async def record_rejection(self, flow_id: str, error: AppError) -> None:
        self.refused.append(error)


@pytest.fixture
def intake():
    return Intake()


@pytest.fixture
async def anybody(runtime, intake):
    """A client of a server whose engine is the `intake`."""
    app = create_app(runtime.backend, intake, runtime.backend.api_keys, version="1")
    listener = HttpListener(app, "127.0.0.1", 0)
    async with patient.AsyncClient(base_url=await listener.start()) as client:
        yield client
    await listener.stop(grace=1)


async def _runs(runtime, flow) -> int:
    return (await runtime.backend.list_executions(ExecutionFilter(flow_id=flow.id), PageRequest())).total


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH"])
async def test_a_call_starts_the_flow_and_is_answered_at_once(runtime, stranger, webhook_flow, method):
    answer = await stranger.request(method, f"/webhooks/flows/{webhook_flow.id}?a=1", json={"name": "Ada"})

    assert (answer.status_code, answer.content) == (204, b"")
    runs = await runtime.backend.list_executions(ExecutionFilter(), PageRequest())
    trigger, *_ = await runtime.backend.execution_steps(runs.items[0].id)
    assert (trigger.data_out["body"], trigger.data_out["query"]) == ({"name": "Ada"}, {"a": "1"})


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", 200), ("DELETE", 405), ("OPTIONS", 204), ("TRACE", 405), ("FOO", 405)]
)
async def test_other_methods_never_start_a_run(runtime, stranger, webhook_flow, method, status):
    answer = await stranger.request(method, f"/webhooks/flows/{webhook_flow.id}")

    assert answer.status_code == status
    assert await _runs(runtime, webhook_flow) == 0


async def test_addresses_that_lead_nowhere(stranger):
    assert (await stranger.post(f"/webhooks/flows/{uuid4()}")).status_code == 404
    malformed = await stranger.post("/webhooks/flows/nope")
    assert (malformed.status_code, malformed.json()["meta"]["type"]) == (400, "NotFound")
    assert (await stranger.post(f"/webhooks/flows/{uuid4()}/nope")).status_code == 404


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"json": {"a": [1, None, "ü"]}}, {"a": [1, None, "ü"]}),
        ({"json": [1, 2]}, [1, 2]),
        ({"content": b'{"a": 1}', "headers": {"content-type": "application/vnd.github+json"}}, {"a": 1}),
        ({"data": {"a": "1", "b": ["2", "3"]}}, {"a": "1", "b": ["2", "3"]}),
        (
            {"content": "a=&b=x+y", "headers": {"content-type": "application/x-www-form-urlencoded"}},
            {"a": "", "b": "x y"},
        ),
        ({"content": "hello", "headers": {"content-type": "text/plain"}}, "hello"),
        ({"content": "é".encode("latin-1"), "headers": {"content-type": "text/plain; charset=latin-1"}}, "é"),
        ({"content": "<a/>", "headers": {"content-type": "application/xml"}}, "<a/>"),
        (
            {"content": b"\xff\x00", "headers": {"content-type": "application/octet-stream"}},
            {"name": "", "contentType": "application/octet-stream", "size": 2, "base64": "/wA="},
        ),
        ({"content": b"", "headers": {"content-type": "application/json"}}, None),
        ({}, None),
    ],
)
async def test_bodies_of_every_kind_are_read(anybody, intake, sent, read):
    answer = await anybody.post(ADDRESS, **sent)

    assert answer.status_code == 204
    assert intake.requests[0].body == read


async def test_the_raw_body_and_headers_are_kept_but_not_our_key(anybody, intake):
    await anybody.post(
        ADDRESS,
        content=b'{ "a":1 }',
        headers={"content-type": "application/json", "X-Sig": "s", "x-api-token": "k"},
    )

    request = intake.requests[0]
    assert (request.raw_body, request.headers["x-sig"]) == (b'{ "a":1 }', "s")
    assert "x-api-token" not in request.headers


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b'{"a": NaN}', "headers": {"content-type": "application/json"}}, 400),
        ({"content": b'{"a": "\\ud800"}', "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"[" * 100_000, "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"x", "headers": {"content-type": "text/plain; charset=klingon"}}, 415),
        ({"content": b"x", "headers": {"content-type": "multipart/form-data"}}, 400),
        ({"content": b"x", "headers": {"content-encoding": "gzip"}}, 415),
        ({"content": b"x" * (10 * MB + 1)}, 413),
        ({"data": {"a": "1"}, "files": {"doc": ("d.bin", b"x" * 10 * MB)}}, 413),
    ],
)
async def test_bodies_that_cannot_be_read_start_nothing(anybody, intake, sent, status):
    answer = await anybody.post(ADDRESS, **sent)

    assert (answer.status_code, set(answer.json())) == (status, {"errors", "meta"})
    assert intake.requests == []
    assert len(intake.refused) == (status == 413)


async def test_while_the_engine_starts_the_caller_is_asked_to_come_back(anybody, intake):
    intake.starting = True

    answer = await anybody.post(ADDRESS)

    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


async def test_the_flow_s_own_answer_is_passed_on(anybody, intake):
    intake.answer = WebhookResponse(
        status=201,
        headers={"X-Own": "yes", "Content-Length": "7", "Bad\nName": "x", "X-Bad": "a\r\nb"},
        body='{"ok":true}',
    )

    answer = await anybody.post(f"{ADDRESS}/sync")

    assert (answer.status_code, answer.json(), answer.headers["x-own"]) == (201, {"ok": True}, "yes")
    assert answer.headers["content-type"] == "application/json"
    assert "x-bad" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "kind"), [({}, "text/plain; charset=utf-8"), ({"Content-Type": "text/csv"}, "text/csv")]
)
async def test_a_text_answer_is_text_unless_the_flow_says_otherwise(anybody, intake, headers, kind):
    intake.answer = WebhookResponse(status=200, headers=headers, body="<b>hi</b>")

    answer = await anybody.post(f"{ADDRESS}/sync")

    assert answer.headers["content-type"] == kind


async def test_pages_of_other_sites_may_call(anybody):
    asked = await anybody.options(ADDRESS)
    called = await anybody.post(ADDRESS)

    assert asked.headers["access-control-allow-methods"] == "GET, POST, PUT, PATCH"
    assert called.headers["access-control-allow-origin"] == "*"


async def test_a_look_at_an_address_tells_whether_there_is_a_webhook(runtime, stranger, webhook_flow):
    there = await stranger.head(f"/webhooks/flows/{webhook_flow.id}")
    nowhere = await stranger.head(f"/webhooks/flows/{uuid4()}")

    assert (there.status_code, there.content, nowhere.status_code) == (200, b"", 404)
    assert await _runs(runtime, webhook_flow) == 0


async def test_unsupported_methods_get_the_list_of_allowed_ones(anybody, intake):
    answer = await anybody.delete(ADDRESS)

    assert answer.headers["allow"] == "GET, POST, PUT, PATCH, HEAD, OPTIONS"
    assert "DELETE" in answer.json()["errors"]["general"][0]
    assert (await anybody.options(ADDRESS)).headers["allow"] == answer.headers["allow"]


async def test_the_test_address_of_a_live_flow_stores_a_test_and_runs_nothing(
    runtime, stranger, webhook_flow
):
    answer = await stranger.post(f"/webhooks/flows/{webhook_flow.id}/test", json={"n": 1})

    assert (answer.status_code, answer.headers["x-patchbay-delivery"]) == (204, "test")
    runs = await runtime.backend.list_executions(ExecutionFilter(), PageRequest())
    (trigger,) = await runtime.backend.execution_steps(runs.items[0].id)
    assert [(run.test_run, run.status) for run in runs.items] == [(True, "success")]
    assert trigger.data_out["body"] == {"n": 1}


async def test_the_three_addresses_of_a_flow_are_apart(anybody, intake):
    await anybody.post(f"{ADDRESS}/test")
    await anybody.post(f"{ADDRESS}/sync")

    assert (len(intake.tests), len(intake.requests)) == (1, 1)
