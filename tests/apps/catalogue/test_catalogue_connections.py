"""Each app of the catalogue signs in and verifies credentials as documented, and reports rejected ones."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.support.catalogue import facts, samples
from tests.support.catalogue.comparison import credential_differences, request_differences
from tests.support.catalogue.facts import Facts, assert_agrees, covered, the_app, uses_http
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.errors import AppError, ThirdPartyError, TimedOut
from patchbay.integration.app_definition import Auth
from patchbay.integration.oauth import GRANT_KEYS, OAuth2

CONNECTING = [key for key in covered() if uses_http(key)]
SIGNING_IN = [key for key in CONNECTING if "oauth" in facts.facts()[key]["auth"]]
VENDOR_WORDS = "The vendor’s own words."


def auth_of(key: str) -> Auth:
    auth = the_app(key).auth
    assert auth is not None
    return auth


def entered(key: str) -> dict[str, Any]:
    """What is there before the first verification: what was entered, and for a sign-in its tokens."""
    fields = {field.key for field in auth_of(key).fields}
    kept = {*fields, *responses_auth(key)} | ({*GRANT_KEYS, "tokenType"} if key in SIGNING_IN else set())
    if "stored" in vars(auth_of(key)) and key in SIGNING_IN:
        kept |= {*auth_of(key).stored}
    return {name: value for name, value in samples.auth_data(key).items() if name in kept}


def responses_auth(key: str) -> set[str]:
    return {*facts.responses(key).get("$auth", {})}


@pytest.mark.parametrize("key", CONNECTING)
async def test_verification_sends_the_documented_requests_with_the_credential(key: str):
    own, service = facts.facts()[key]["auth"], SimulatedService(key)
    token_call = own.get("oauth", {}).get("tokenCall") or {}
    calls = [call for call in own["verifyCredentialsCalls"] if call.get("path") != token_call.get("path")]
    calls = [
        call
        for call in calls
        if "token" not in call.get("path", "").rsplit("/", 1)[-1] or not own.get("oauth")
    ]

    async with calling(service, data=entered(key)) as ctx:
        await auth_of(key).verify_credentials(ctx)
        data = ctx.auth.data

    allowed = [*calls, *([own["verify"]] if own.get("verify") else [])]
    found = [
        text
        for text in request_differences(service, allowed)
        if text.endswith("isn't in the facts")
        or any(service.is_call(sent, call) for call in calls for sent in service.requests)
        or not calls
    ]
    if service.requests:
        found += credential_differences(service.requests[-1], own["sendsCredential"], data)
    else:
        found.append("nothing is sent")
    if not str(data.get("screenName") or "").strip():
        found.append("the connection has no name")
    if own.get("screenName") == "{auth.screenName}" and data.get("screenName") != "Sample connection":
        found.append(f"the connection is called {data.get('screenName')}")
    assert_agrees(key, "verification", dict.fromkeys(found))


@pytest.mark.parametrize("key", CONNECTING)
async def test_a_connection_that_still_works_is_recognized(key: str):
    service = SimulatedService(key)

    async with calling(service) as ctx:
        assert await auth_of(key).is_still_verified(ctx) is True

    assert service.requests


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("key", CONNECTING)
async def test_rejected_credentials_are_reported_in_the_vendors_words(key: str, status: int):
    secrets = samples.secrets(key)

    def reject(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json={"message": f"{VENDOR_WORDS} {' '.join(secrets)}"})

    for verify in (auth_of(key).verify_credentials, auth_of(key).is_still_verified):
        with pytest.raises(ThirdPartyError) as caught:
            async with calling(SimulatedService(key, reject)) as ctx:
                await verify(ctx)

        assert caught.value.rejects_credentials
        assert VENDOR_WORDS in caught.value.said
        assert [
            secret for secret in secrets if secret in f"{caught.value.text()} {caught.value.extra()}"
        ] == []


@pytest.mark.parametrize("key", CONNECTING)
async def test_a_malformed_or_late_response_is_an_error(key: str):
    def send_page(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, html="<html><title>Sign in</title></html>")

    def time_out(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("too late", request=request)

    for verify in (auth_of(key).verify_credentials, auth_of(key).is_still_verified):
        with pytest.raises(AppError):
            async with calling(SimulatedService(key, send_page)) as ctx:
                await verify(ctx)
        with pytest.raises(TimedOut):
            async with calling(SimulatedService(key, time_out)) as ctx:
                await verify(ctx)


@pytest.mark.parametrize("key", SIGNING_IN)
async def test_the_browser_is_sent_to_the_documented_address(key: str):
    own, auth = facts.facts()[key]["auth"]["oauth"], auth_of(key)
    assert auth.generate_auth_url is not None
    service = SimulatedService(key, _request_token)

    async with calling(service, data=entered(key)) as ctx:
        await auth.generate_auth_url(ctx)
        address, data = urlsplit(str(ctx.auth.data["url"])), ctx.auth.data

    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    expected = service.full_url(own["authorizeUrl"])
    found = [f"no {name}" for name in own["authorizeParams"] if name not in query]
    found += [
        f"{name} is {query.get(name)}"
        for name, value in own.get("fixedParams", {}).items()
        if query.get(name) != value and name in query
    ]
    if address._replace(query="").geturl().rstrip("?") != expected.rstrip("?"):
        found.append(f"the browser opens {address._replace(query='').geturl()}")
    if own["scopes"] and query.get("scope") != own.get("scopeSeparator", " ").join(own["scopes"]):
        found.append(f"the scope is {query.get('scope')}")
    if not data.get("state") or (
        isinstance(_sign_in_of(auth), OAuth2) and query.get("state") != data["state"]
    ):
        found.append("no state")
    assert_agrees(key, "sign-in", [text for text in found if text])


def _sign_in_of(auth: Auth) -> object:
    return getattr(auth.generate_auth_url, "__self__", None)


def _request_token(request: httpx.Request) -> httpx.Response | None:
    if "oauth_callback" in request.headers.get("authorization", ""):
        return httpx.Response(
            200, text="oauth_token=sample-request-token&oauth_token_secret=secret-request-0123"
        )
    return None


@pytest.mark.parametrize(
    "key", [key for key in SIGNING_IN if facts.facts()[key]["auth"]["oauth"].get("tokenCall")]
)
async def test_a_code_becomes_a_token_at_the_documented_address(key: str):
    own = facts.facts()[key]["auth"]["oauth"]
    if "preAuthorizeCalls" in own:
        pytest.skip("OAuth 1.0a: see tests/integration/test_oauth1.py")
    before = {name: value for name, value in entered(key).items() if name not in GRANT_KEYS}
    callback = {"state": "sample-state", "code": "sample-code"}
    sign_in = {"state": "sample-state", "codeVerifier": "v" * 64, "callback": callback}
    service = SimulatedService(key)

    async with calling(service, data={**before, **sign_in}) as ctx:
        await auth_of(key).verify_credentials(ctx)
        data = ctx.auth.data

    exchange = service.requests[0]
    sent = {*exchange.query, *(exchange.body if isinstance(exchange.body, dict) else {})}
    wanted = {*own["tokenCall"].get("bodyKeys", ()), *own["tokenCall"].get("query", ())}
    if exchange.headers.get("authorization", "").startswith("Basic "):
        wanted -= {"client_id", "client_secret"}
    assert_agrees(key, "token", _address_differences(service, own["tokenCall"]))
    assert sorted(wanted - sent - _odd_keys(key)) == []
    assert any("secret-accessToken" in str(value) for value in data.values())
    assert data.get("callback") is None
    assert str(data.get("screenName") or "").strip()


def _address_differences(service: SimulatedService, call: Facts) -> list[str]:
    """Whether the first request was sent to another address."""
    sent = service.requests[0]
    return [] if service.is_call(sent, call) else [f"{sent.method} {sent.url}"]


def _odd_keys(key: str) -> set[str]:
    """Parameters that one vendor's original sends by mistake, or because its client adds all it has."""
    return {"g", "response_type", "scope", "access_token", "api_key", "api_secret"}


@pytest.mark.parametrize(
    "key", [key for key in SIGNING_IN if facts.facts()[key]["auth"]["oauth"]["hasRefresh"]]
)
async def test_a_token_is_renewed_at_the_documented_address(key: str):
    own, auth, service = facts.facts()[key]["auth"]["oauth"], auth_of(key), SimulatedService(key)
    assert auth.refresh_token is not None

    async with calling(
        service, data={**entered(key), "refreshToken": "secret-refreshToken-0123456789"}
    ) as ctx:
        await auth.refresh_token(ctx)
        data = ctx.auth.data

    assert_agrees(key, "renewal", _address_differences(service, own["refreshCall"]))
    assert data["accessToken"] == "secret-accessToken-0123456789"


def test_values_that_verification_stores_are_declared():
    """Addresses that name such values are only accepted where the app declares them."""
    undeclared = {
        key: name
        for key in CONNECTING
        for name in re.findall(r"\{auth\.(\w+)\}", the_app(key).api_base_url)
        if name not in {field.key for field in auth_of(key).fields} | {*auth_of(key).stored}
    }

    assert undeclared == {}
