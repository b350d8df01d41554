"""Requests of steps and apps take a connection's secrets to the origin they were entered for only."""

import pytest
from tests.support.app_calls import act, built_in_action, built_in_app, context
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, third_party

from patchbay.domain.errors import AppError, ThirdPartyError, ValidationFailed
from patchbay.integration.http_factory import HttpFactory

SECRET = "planted-key-7f31c0"
SHORT = "p1"
HTTP = {"screenName": "H", "baseUrl": "https://api.example.com", "checkUrl": "/me"}

KINDS = {
    "bearer": {**HTTP, "kind": "bearer", "token": SECRET},
    "header": {**HTTP, "kind": "header", "headerName": "X-Key", "apiKey": SECRET},
    "query": {**HTTP, "kind": "query", "queryName": "key", "apiKey": SECRET},
    "basic": {**HTTP, "kind": "basic", "username": "ann", "password": SHORT},
    "oauth2": {**HTTP, "kind": "oauth2", "accessToken": SECRET},
}


@pytest.fixture
async def factory():
    made = HttpFactory(timeout=PATIENCE)
    yield made
    await made.aclose()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_step_takes_the_key_of_its_connection_nowhere_else(kind, factory):
    async with third_party(Reply(body={})) as evil:
        host = evil.url.removeprefix("http://")
        for url in (evil.url, f"http://api.example.com@{host}/", f"http://api.example.com%2f@{host}/"):
            ctx = context(
                "http-request", {"method": "GET", "url": url}, data=KINDS[kind], http_factory=factory
            )
            ctx.auth.app = built_in_app("http")
            with pytest.raises(AppError):
                await built_in_action("http-request", "customRequest").run(ctx)

        assert evil.seen == []


@pytest.mark.parametrize("kind", KINDS)
async def test_the_key_of_an_https_service_is_not_sent_in_the_clear(kind, factory):
    async with third_party(Reply(body={})) as plain:
        data = {**KINDS[kind], "baseUrl": plain.url.replace("http:", "https:")}
        ctx = context("http-request", {"method": "GET", "url": plain.url}, data=data, http_factory=factory)
        ctx.auth.app = built_in_app("http")

        with pytest.raises(ValidationFailed):
            await built_in_action("http-request", "customRequest").run(ctx)

        assert plain.seen == []


async def test_an_https_address_without_a_port_is_not_asked_over_http(factory):
    """Port 443 stands for https: with http, the same host and port 80 is another place."""
    for app_key, parameters in (
        ("http-request", {"method": "GET", "url": "http://api.example.com/me"}),
        ("redmine", {"method": "GET", "endpoint": "http://api.example.com/me"}),
    ):
        data = {**KINDS["bearer"], "instanceUrl": "https://api.example.com", "apiKey": SECRET}
        ctx = context(app_key, parameters, data=data, http_factory=factory)
        if app_key == "http-request":
            ctx.auth.app = built_in_app("http")
        action = "customRequest" if app_key == "http-request" else "apiRequest"

        with pytest.raises(ValidationFailed):
            await built_in_action(app_key, action).run(ctx)


@pytest.mark.parametrize(
    ("app_key", "data"),
    [
        ("redmine", {"instanceUrl": "https://old.example", "apiKey": SECRET}),
        ("changedetection", {"instanceUrl": "https://old.example", "apiKey": SECRET}),
        ("better-stack", {"apiKey": SECRET}),
        ("caldav", {"serverUrl": "https://old.example", "username": "ann", "password": SHORT}),
    ],
)
async def test_code_of_an_app_that_follows_a_foreign_address_sends_no_key(app_key, data, factory):
    """Such as the link to the next page in an answer."""
    async with third_party(Reply(body={})) as evil:
        ctx = context(app_key, {}, data=data, http_factory=factory)

        with pytest.raises(ValidationFailed, match="aren't sent to"):
            await ctx.http.get(f"{evil.url}/next?page=2")
        await ctx.http.get(evil.url, extra={"skip_auth": True})

        assert len(evil.seen) == 1
        assert SECRET not in str(evil.seen)


async def test_a_host_header_cannot_lead_the_key_to_another_site(factory):
    """Front ends that serve many sites go by the Host header, not by the address."""
    async with third_party(Reply(body={})) as service:
        data = {**KINDS["bearer"], "baseUrl": service.url}
        parameters = {"method": "GET", "url": "/me", "headers": [{"key": "Host", "value": "evil.example"}]}
        ctx = context("http-request", parameters, data=data, http_factory=factory)
        ctx.auth.app = built_in_app("http")

        with pytest.raises(ValidationFailed, match="Host header"):
            await built_in_action("http-request", "customRequest").run(ctx)

        assert service.seen == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_takes_no_header_along_that_may_hold_a_key(status):
    """Also not one that a step was given by hand, whatever its name."""
    async with third_party(Reply(body={})) as evil:
        away = Reply(status, headers={"Location": f"{evil.url}/taken"})
        async with third_party(away) as service:
            names = ("X-Api-Key", "Authorization", "Cookie", "X-Anything", "Private-Token")
            headers = [{"key": name, "value": SECRET} for name in names]
            parameters = {"method": "GET", "url": service.url, "headers": headers}
            await act("http-request", "customRequest", parameters)

            assert {name.lower() for name in names} <= service.seen[0].headers.keys()
        assert len(evil.seen) == 1
        assert SECRET not in str(evil.seen[0].headers)


@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
async def test_a_redirect_takes_no_body_to_another_host(status, method):
    """Nobody entered that address, and what a step sends may be anything."""
    async with third_party(Reply(body={})) as evil:
        away = Reply(status, headers={"Location": f"{evil.url}/taken"})
        async with third_party(away) as service:
            parameters = {"method": method, "url": service.url, "data": '{"salary": 1}'}
            with pytest.raises(ThirdPartyError) as caught:
                await act("http-request", "customRequest", parameters)

        assert evil.seen == []
    assert evil.url.removeprefix("http://") in caught.value.meaning
    assert "enter its address" in caught.value.todo


@pytest.mark.parametrize("status", [307, 308])
async def test_a_redirect_within_a_host_keeps_the_body(status):
    def answer(request):
        return Reply(body={}) if request.path == "/new" else Reply(status, headers={"Location": "/new"})

    async with third_party(answer) as service:
        parameters = {"method": "POST", "url": f"{service.url}/old", "data": "content"}
        await act("http-request", "customRequest", parameters)

        assert [request.body for request in service.seen] == [b"content", b"content"]


@pytest.mark.parametrize("kind", ["query", "header"])
async def test_a_redirect_whose_address_holds_the_key_is_not_followed(kind, factory):
    async with third_party(Reply(body={})) as evil:
        away = Reply(302, headers={"Location": f"{evil.url}/?key={SECRET}"})
        async with third_party(away) as service:
            data = {**KINDS[kind], "baseUrl": service.url}
            ctx = context("http-request", {"method": "GET", "url": "/"}, data=data, http_factory=factory)
            ctx.auth.app = built_in_app("http")

            with pytest.raises(ThirdPartyError):
                await built_in_action("http-request", "customRequest").run(ctx)

        assert evil.seen == []
