"""Apps that talk to services, against real servers on this computer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.app_calls import act, built_in, built_in_action, built_in_app, context, items_of
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, ThirdParty, third_party

from patchbay.domain.base import AppKey
from patchbay.domain.errors import ThirdPartyError, Unreachable, ValidationFailed
from patchbay.integration.context import Context, CurrentAuth
from patchbay.integration.http_factory import HttpFactory

GOOD_KEY = "good-key-1234"


async def request(parameters: dict) -> Any:
    return await act("http-request", "customRequest", parameters)


async def test_a_custom_request_is_sent_as_entered():
    async with third_party(Reply(201, {"id": 7}, {"X-Served-By": "me"})) as shop:
        headers = [{"key": "Content-Type", "value": "text/csv"}, {"key": " ", "value": "dropped"}]
        output = await request(
            {"method": "POST", "url": shop.url + "/in?x=1", "data": "a;b", "headers": headers}
        )

        assert (output["status"], output["data"]) == (201, {"id": 7})
        assert output["headers"]["x-served-by"] == "me"
        assert [(seen.method, seen.target, seen.body) for seen in shop.seen] == [("POST", "/in?x=1", b"a;b")]
        assert shop.seen[0].headers["content-type"] == "text/csv"


async def test_a_picture_comes_back_in_base64():
    async with third_party(Reply(body=b"\x89PNG", headers={"Content-Type": "image/png"})) as shop:
        assert (await request({"url": shop.url}))["data"] == "iVBORw=="


async def test_a_failing_status_is_an_error_in_the_words_of_the_host():
    async with third_party(Reply(418, {"error": "I am a teapot"})) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await request({"method": "GET", "url": shop.url + "/tea"})

    assert caught.value.happened == f"{shop.url[7:]} returned “I am a teapot” (418)."
    assert caught.value.details == {"error": "I am a teapot"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"url": ""},
        {"url": "example.com"},
        {"url": "file:///etc/passwd"},
        {"url": "http://x", "method": "TRACE"},
        {"url": "http://"},
    ],
)
async def test_an_invalid_request_is_reported(parameters):
    with pytest.raises(ValidationFailed):
        await request(parameters)


async def test_a_length_and_a_connection_of_their_own_are_left_out():
    """Requests that are copied from a browser or another program bring them."""
    headers = [
        {"key": "Content-Length", "value": "3"},
        {"key": "Connection", "value": "close, X-Key"},
        {"key": "X-Key", "value": "mine"},
    ]
    async with third_party(Reply()) as shop:
        await request({"method": "POST", "url": shop.url, "data": "abcdef", "headers": headers})

        assert shop.seen[0].body == b"abcdef"
        assert shop.seen[0].headers["content-length"] == "6"
        assert "X-Key" not in shop.seen[0].headers["connection"]
        assert shop.seen[0].headers["x-key"] == "mine"


@pytest.mark.parametrize("name", ["Transfer-Encoding", "Upgrade", "TE", "Trailer", "Expect"])
async def test_headers_that_say_where_a_request_ends_are_refused(name):
    headers = [{"key": name, "value": "3"}]
    async with third_party(Reply()) as shop:
        with pytest.raises(ValidationFailed, match=f"“{name.lower()}” can't be set") as caught:
            await request({"method": "POST", "url": shop.url, "data": "abcdef", "headers": headers})
        with pytest.raises(ValidationFailed, match="can't be set"):
            await act("better-stack", "apiRequest", {"endpoint": "/v2", "headers": headers})

        assert caught.value.todo == "Remove this header from the step or connection."
        assert shop.seen == []


NO_PORT = "http://127.0.0.1:18990.localhost:18991/t"


async def test_an_address_with_two_ports_is_reported_with_a_connection_too():
    connection: dict[str, Any] = {"kind": "bearer", "token": GOOD_KEY, "baseUrl": "http://127.0.0.1:18990"}
    factory = HttpFactory(timeout=PATIENCE)
    ctx = context("http-request", {"url": NO_PORT}, http_factory=factory)
    ctx.auth = CurrentAuth(data=connection, app=built_in_app("http"))

    with pytest.raises(ValidationFailed, match="isn't a valid URL"):
        await built_in_action("http-request", "customRequest").run(ctx)
    with pytest.raises(ValidationFailed, match="isn't a valid URL"):
        await act("better-stack", "apiRequest", {"endpoint": NO_PORT})
    await factory.aclose()


async def test_a_connection_cannot_put_its_key_into_such_a_header():
    data = {"kind": "header", "headerName": "Transfer-Encoding", "apiKey": "chunked"}
    async with third_party(Reply()) as shop:
        factory = HttpFactory(timeout=PATIENCE)
        ctx = context("http-request", {"url": shop.url}, http_factory=factory)
        ctx.auth = CurrentAuth(data={**data, "baseUrl": shop.url}, app=built_in_app("http"))
        with pytest.raises(ValidationFailed, match="can't be set"):
            await built_in_action("http-request", "customRequest").run(ctx)
        await factory.aclose()

        assert shop.seen == []


def incidents(request: Seen) -> Reply:
    """The part of Better Stack's interface that the app uses."""
    if request.headers.get("authorization") != f"Bearer {GOOD_KEY}":
        return Reply(401, {"errors": "Invalid Team API token. How to find your Uptime API token: …"})
    if request.path == "/v3/metadata":
        return Reply(body={"data": []})
    return Reply(body={"data": {"id": "5", "sent": request.json if request.body else None}})


@asynccontextmanager
async def better_stack() -> AsyncIterator[tuple[ThirdParty, HttpFactory]]:
    async with third_party(incidents) as service:
        factory = HttpFactory(address_overrides={"better-stack": service.url})
        yield service, factory
        await factory.aclose()


def connecting(app_key: str, factory: HttpFactory, **data: str) -> Context:
    return context(app_key, {}, data={"screenName": "Mine", **data}, http_factory=factory)


async def test_better_stack_accepts_a_good_key():
    async with better_stack() as (_, factory):
        ctx = connecting("better-stack", factory, apiKey=GOOD_KEY)
        auth = built_in_app("better-stack").auth

        await auth.verify_credentials(ctx)

        assert ctx.auth.data["screenName"] == "Mine"
        assert await auth.is_still_verified(ctx) is True


async def test_better_stack_refuses_a_wrong_key_in_its_own_words():
    async with better_stack() as (_, factory):
        ctx = connecting("better-stack", factory, apiKey="wrong-key-99")

        with pytest.raises(ThirdPartyError, match="Invalid Team API token") as caught:
            await built_in_app("better-stack").auth.verify_credentials(ctx)

    assert caught.value.status == 401
    assert "wrong-key-99" not in str(caught.value.extra())


@pytest.mark.parametrize(
    ("action", "parameters", "method", "path", "body"),
    [
        ("findIncident", {"incidentId": "5"}, "GET", "/v3/incidents/5", None),
        ("acknowledgeIncident", {"incidentId": "5/6"}, "POST", "/v3/incidents/5%2F6/acknowledge", {}),
        (
            "resolveIncident",
            {"incidentId": 5, "resolvedBy": "Ann"},
            "POST",
            "/v3/incidents/5/resolve",
            {"resolved_by": "Ann"},
        ),
        (
            "createIncident",
            {
                "briefSummary": "Down",
                "requesterEmail": "a@b.example",
                "alertSettingsCall": "true",
                "alertSettingsText": False,
                "alertSettingsEmail": "no",
                "alertSettingsPushNotification": False,
                "teamAlertWaitTime": "60",
            },
            "POST",
            "/v3/incidents",
            {
                "summary": "Down",
                "requester_email": "a@b.example",
                "call": True,
                "sms": False,
                "email": False,
                "push": False,
                "team_wait": 60,
            },
        ),
    ],
)
async def test_better_stack_actions(action, parameters, method, path, body):
    async with better_stack() as (service, factory):
        ctx: Any = context("better-stack", parameters, data={"apiKey": GOOD_KEY}, http_factory=factory)
        await built_in_action("better-stack", action).run(ctx)

        assert ctx.action_output["id"] == "5"
        assert (service.seen[0].method, service.seen[0].path) == (method, path)
        assert ctx.action_output["sent"] == body


async def test_any_request_can_be_sent_with_the_connections_key():
    async with better_stack() as (service, factory):
        parameters = {
            "method": "POST",
            "endpoint": "/v2/things",
            "data": '{"a": 1}',
            "queryParams": [{"key": "page", "value": "2"}],
            "headers": [{"key": "X-Mine", "value": "1"}],
        }
        ctx: Any = context("better-stack", parameters, data={"apiKey": GOOD_KEY}, http_factory=factory)
        await built_in_action("better-stack", "apiRequest").run(ctx)

        assert service.seen[0].target == "/v2/things?page=2"
        assert service.seen[0].headers["x-mine"] == "1"
        assert ctx.action_output["data"]["data"]["sent"] == {"a": 1}
        assert ctx.action_output["status"] == 200


async def test_the_connections_key_is_not_sent_to_other_addresses():
    async with better_stack() as (_, factory), third_party(Reply()) as stranger:
        parameters = {"method": "GET", "endpoint": stranger.url + "/steal"}
        ctx = context("better-stack", parameters, data={"apiKey": GOOD_KEY}, http_factory=factory)

        with pytest.raises(ValidationFailed, match="below the base URL"):
            await built_in_action("better-stack", "apiRequest").run(ctx)

        assert stranger.seen == []


def watches(request: Seen) -> Reply:
    """The part of Changedetection's interface that the app uses."""
    if request.headers.get("x-api-key") != GOOD_KEY:
        return Reply(403, "Invalid access - API key invalid.")
    known = {
        "w1": {"title": None, "url": "https://b.example", "last_changed": 1700},
        "w2": {"title": "A page", "url": "https://a.example", "last_changed": 0},
    }
    path = request.path.removeprefix("/api/v1")
    if path == "/systeminfo":
        return Reply(body={"version": "0.50"})
    if path == "/watch":
        return Reply(201, {"uuid": "w3"}) if request.method == "POST" else Reply(body=known)
    if request.method == "DELETE":
        return Reply(204)
    return Reply(body=known[path.removeprefix("/watch/")])


def connection(service: ThirdParty, key: str = GOOD_KEY) -> dict[str, str]:
    return {"screenName": "Mine", "instanceUrl": service.url + "/", "apiKey": key}


async def verify(data: dict[str, str]) -> Context:
    factory = HttpFactory(timeout=PATIENCE)
    ctx = context("changedetection", {}, data=data, http_factory=factory)
    try:
        assert await built_in_app("changedetection").auth.is_still_verified(ctx) is True
    finally:
        await factory.aclose()
    return ctx


async def test_an_instance_of_ones_own_is_connected_by_its_address():
    async with third_party(watches) as service:
        assert (await verify(connection(service))).auth.data["screenName"] == "Mine"
        with pytest.raises(ThirdPartyError, match="API key invalid"):
            await verify(connection(service, "wrong"))

    with pytest.raises(Unreachable, match="refused the connection"):
        await verify(connection(service))


async def test_a_start_page_at_the_instance_address_is_not_taken_for_the_service():
    async with third_party(Reply(body="<html>Welcome</html>")) as service:
        with pytest.raises(ThirdPartyError) as caught:
            await verify(connection(service))

    assert "web page" in caught.value.meaning


async def test_a_change_starts_a_flow_once():
    async with third_party(watches) as service:
        more = {"data": connection(service)}
        (item,) = await items_of("changedetection", "changedWatch", {"watchId": "w1"}, **more)
        again = await items_of(
            "changedetection",
            "changedWatch",
            {"watchId": "w1"},
            known_ids=frozenset({item.internal_id}),
            **more,
        )
        unchanged = await items_of("changedetection", "changedWatch", {"watchId": "w2"}, **more)
        tested = await items_of("changedetection", "changedWatch", {"watchId": "w2"}, test=True, **more)

    assert item.raw["url"] == "https://b.example"
    assert (again, unchanged) == ([], [])
    assert tested[0].raw["title"] == "A page"


async def test_watches_are_offered_by_title_or_address():
    async with third_party(watches) as service:
        factory = HttpFactory()
        ctx = context("changedetection", {}, data=connection(service), http_factory=factory)
        options = await built_in().dynamic_data(AppKey("changedetection"), "listWatches").load(ctx)
        await factory.aclose()

    assert [(option.label, option.value) for option in options] == [
        ("A page", "w2"),
        ("https://b.example", "w1"),
    ]


async def test_watches_are_created_and_deleted():
    async with third_party(watches) as service:
        data = connection(service)
        created = await act("changedetection", "createWatch", {"url": "https://c.example"}, data=data)
        deleted = await act("changedetection", "deleteWatch", {"watchId": "w1"}, data=data)

        assert created == {"uuid": "w3"}
        assert service.seen[0].json == {"url": "https://c.example"}
        assert deleted == {"result": "deleted", "watchId": "w1", "deleted": True}
        assert (service.seen[1].method, service.seen[1].path) == ("DELETE", "/api/v1/watch/w1")
