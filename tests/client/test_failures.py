"""How failed calls read."""

import json
import socket
from typing import Any

import httpx
import pytest

from patchbay.client.errors import error_from_response
from patchbay.client.remote import RemoteBackend
from patchbay.client.service_client import ServiceClient
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.errors import (
    AuthRequired,
    Conflict,
    FlowNotReady,
    Forbidden,
    NotFound,
    NotSupported,
    RateLimited,
    ServerFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)

BASE = "http://flows.example.org"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ValidationFailed),
        (401, AuthRequired),
        (403, Forbidden),
        (404, NotFound),
        (405, NotSupported),
        (408, TimedOut),
        (409, Conflict),
        (413, ValidationFailed),
        (422, ValidationFailed),
        (429, RateLimited),
        (500, ServerFault),
        (502, Unreachable),
        (503, Unreachable),
        (504, TimedOut),
        (418, ServerFault),
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"errors": ' + b"[" * 20_000,
        b'{"errors": {"general": ["' + b"x" * 100_000 + b'"]}}',
    ],
    ids=["nothing", "page", "list", "bytes", "deep", "deep errors", "long"],
)
def test_answers_without_words_get_ours(status, kind, body):
    error = error_from_response(status, {}, body, BASE)

    assert isinstance(error, kind)
    assert (error.kind, bool(error.happened)) == (kind.kind, True)
    assert len(error.text()) < 1000


def test_the_words_of_another_service_are_kept():
    def answered(errors: object, kind: str) -> Any:
        return error_from_response(
            422, {}, json.dumps({"errors": errors, "meta": {"type": kind}}).encode(), BASE
        )

    invalid = answered({"name": ["is too short", "is odd"], "email": "is taken"}, "ModelValidation")
    assert invalid.fields() == {"name": ["is too short", "is odd"], "email": ["is taken"]}
    refused = answered({"error": {"message": "Bad credentials"}}, "HttpError")
    assert isinstance(refused, ThirdPartyError)
    assert refused.said == "Bad credentials"
    unready = answered({"flow": ["Too few steps."]}, "insufficientStepsError")
    assert isinstance(unready, FlowNotReady)
    assert unready.fields() == {"flow": ["Too few steps."]}


def retry_after(header: str) -> float | None:
    error = error_from_response(429, {"retry-after": header}, b"", BASE)
    assert isinstance(error, RateLimited)
    return error.retry_after


def test_waiting_times_are_read():
    assert retry_after("7") == 7
    for odd in (
        "Fri, 21 Nov 2025",
        "Mon, 20 Nov 1995 19:12:08 +99999999999999999999",
        "-1",
        "nan",
        "x" * 9999,
    ):
        assert retry_after(odd) is None


def _failing(error: type[httpx.RequestError], calls: list[str]) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        calls.append(request.method)
        raise error("no", request=request)

    return httpx.MockTransport(answer)


@pytest.mark.parametrize(
    ("raised", "kind", "times"),
    [
        (httpx.ConnectError, Unreachable, 3),
        (httpx.ReadError, Unreachable, 3),
        (httpx.ReadTimeout, TimedOut, 1),
    ],
)
async def test_reading_is_tried_again_when_the_network_fails(raised, kind, times):
    calls: list[str] = []
    remote = RemoteBackend(BASE, "k", transport=_failing(raised, calls))

    with pytest.raises(kind):
        await remote.list_apps()

    assert calls == ["GET"] * times
    await remote.close()


async def test_writing_is_never_tried_again():
    calls: list[str] = []
    service = ServiceClient(BASE, "k", transport=_failing(httpx.ReadError, calls))

    with pytest.raises(Unreachable):
        await service.send("DELETE", "/v1/flows/x")

    assert calls == ["DELETE"]
    await service.close()


async def test_a_passing_failure_is_not_noticed():
    calls: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        calls.append(request.method)
        if len(calls) < 3:
            raise httpx.ConnectError("no", request=request)
        return httpx.Response(200, json={"data": [], "meta": {}})

    remote = RemoteBackend(BASE, "k", transport=httpx.MockTransport(answer))

    assert await remote.list_apps() == ()
    await remote.close()


async def test_a_closed_port_is_unreachable_with_the_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    remote = RemoteBackend(address, "k")

    with pytest.raises(Unreachable, match=r"127\.0\.0\.1"):
        await remote.delete_flow(FlowId("x"))

    await remote.close()


async def test_the_key_is_not_taken_to_another_address():
    hosts: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        return httpx.Response(302, headers={"location": "https://elsewhere.example/v1/apps"})

    remote = RemoteBackend(BASE, "k", transport=httpx.MockTransport(answer))

    with pytest.raises(ServerFault, match="elsewhere"):
        await remote.list_apps()

    assert hosts == ["flows.example.org"]
    await remote.close()


@pytest.mark.parametrize("content", [b"<html>", b'"text"', b'{"rows": []}', b'{"data": [{"key": 7}]}'])
async def test_answers_that_make_no_sense_are_said_to(content):
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=content))
    remote = RemoteBackend(BASE, "k", transport=transport)

    with pytest.raises(ServerFault, match=r"flows\.example\.org"):
        await remote.list_apps()

    await remote.close()


@pytest.mark.parametrize("address", ["", "flows.example.org", "ftp://x", "http://", "file:///etc/passwd"])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(ValidationFailed):
        RemoteBackend(address, "k")


async def test_the_key_is_shown_nowhere():
    remote = RemoteBackend(BASE, "very-secret-key")

    assert "very-secret-key" not in f"{remote!r} {remote._adapter!r} {remote._adapter.service!r}"
    await remote.close()


async def test_a_closed_workspace_says_so():
    remote = RemoteBackend(BASE, "k")
    await remote.close()

    with pytest.raises(Unreachable, match="closed"):
        await remote.list_apps()
    assert [change async for change in remote.changes()] == []


async def test_ids_cannot_lead_elsewhere():
    paths: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path.decode())
        if request.url.path == "/v1/info":
            return httpx.Response(200, json={"data": {"capabilities": {}}, "meta": {}})
        return httpx.Response(404)

    remote = RemoteBackend(BASE, "k", transport=httpx.MockTransport(answer))

    for key in (AppKey("../users"), AppKey("a/b?c=d#e")):
        with pytest.raises(NotFound):
            await remote.get_app(key)

    assert paths[1:] == ["/v1/apps/..%2Fusers", "/v1/apps/a%2Fb%3Fc%3Dd%23e"]
    await remote.close()
