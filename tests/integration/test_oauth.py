"""OAuth 2 by description: the traps that ready-made clients fall into."""

import asyncio
import base64
import json
from typing import Any

import pytest
from tests.support.oauth_forge import NOW, Provider, came_back, forge
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration import Context, oauth2
from patchbay.integration.context import CurrentAuth
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.oauth_messages import new_state, new_verifier


@pytest.fixture
async def http():
    factory = HttpFactory(timeout=PATIENCE)
    yield factory
    await factory.aclose()


async def test_a_code_becomes_tokens_and_leaves_nothing_of_the_sign_in(http):
    provider = Provider()
    async with third_party(provider) as service:
        ctx = came_back(service.url, http)
        await ctx.app.auth.verify_credentials(ctx)

    assert provider.forms[0]["code_verifier"] == "v" * 96
    assert provider.forms[0]["client_secret"] == "cs-12345678"
    assert ctx.auth.data["accessToken"] == "access-1"
    assert (ctx.auth.data["obtainedAt"], ctx.auth.data["expiresAt"]) == (NOW, NOW + 3_600_000)
    assert ctx.auth.data["callback"] is ctx.auth.data["state"] is ctx.auth.data["codeVerifier"] is None


@pytest.mark.parametrize(
    ("callback", "words"),
    [
        ({"error": "access_denied", "error_description": "Ada said no"}, "Ada said no"),
        ({"error": "access_denied", "code": "x"}, "access_denied"),
        ({"state": "of-another"}, "another sign-in"),
        ({"iss": "https://evil.example"}, "evil.example"),
        ({"code": ""}, "contains no authorization code"),
    ],
)
async def test_what_came_back_is_looked_at_before_anything_is_sent(http, callback, words):
    provider = Provider()
    async with third_party(provider) as service:
        ctx = came_back(service.url, http, **callback)
        with pytest.raises(ThirdPartyError) as caught:
            await ctx.app.auth.verify_credentials(ctx)

    assert words in caught.value.text()
    assert provider.forms == []


async def test_a_known_issuer_must_be_the_one_that_answers(http):
    async with third_party(Provider()) as service:
        app = forge(service.url, issuer="https://login.example")
        with pytest.raises(ThirdPartyError):
            await app.auth.verify_credentials(came_back(service.url, http, app=app, iss=service.url))
        ctx = came_back(service.url, http, app=app, iss="https://login.example/")
        await app.auth.verify_credentials(ctx)

    assert ctx.auth.data["accessToken"]


async def test_an_error_body_with_status_200_is_an_error(http):
    body = "error=bad_verification_code&error_description=The+code+passed+is+incorrect+or+expired."
    async with third_party(Provider([Reply(200, body)])) as service:
        ctx = came_back(service.url, http)
        with pytest.raises(ThirdPartyError) as caught:
            await ctx.app.auth.verify_credentials(ctx)

    assert caught.value.said == "The code passed is incorrect or expired."


async def test_an_answer_as_a_form_is_understood(http):
    async with third_party(
        Provider([Reply(200, "access_token=abc&scope=read&token_type=bearer")])
    ) as service:
        ctx = came_back(service.url, http)
        await ctx.app.auth.verify_credentials(ctx)

    assert (ctx.auth.data["accessToken"], ctx.auth.data["expiresAt"]) == ("abc", None)


async def test_client_id_and_secret_go_into_the_header_where_the_service_wants_that(http):
    provider = Provider()
    async with third_party(provider) as service:
        app = forge(service.url, client_auth="basic")
        await app.auth.verify_credentials(came_back(service.url, http, app=app))

    assert base64.b64decode(provider.forms[0]["basic"].removeprefix("Basic ")) == b"patchbay:cs-12345678"
    assert "client_secret" not in provider.forms[0]


async def test_an_identity_token_of_another_sign_in_is_refused(http):
    claims = base64.urlsafe_b64encode(json.dumps({"nonce": "other", "aud": "patchbay"}).encode()).decode()
    answer = Reply(200, {"access_token": "a", "id_token": f"e30.{claims.rstrip('=')}.sig"})
    async with third_party(Provider([answer])) as service:
        ctx = came_back(service.url, http)
        ctx.auth.data["nonce"] = "ours"
        with pytest.raises(ThirdPartyError, match="Forge"):
            await ctx.app.auth.verify_credentials(ctx)


async def test_no_secret_of_a_sign_in_is_in_an_error(http):
    echo = Reply(
        400, {"error": "invalid_grant", "error_description": "the-code-99 with cs-12345678 was already used"}
    )
    async with third_party(Provider([echo])) as service:
        ctx = came_back(service.url, http)
        with pytest.raises(ThirdPartyError) as caught:
            await ctx.app.auth.verify_credentials(ctx)

    told = caught.value.text() + json.dumps(caught.value.extra())
    assert "the-code-99" not in told
    assert "cs-12345678" not in told
    assert "was already used" in told


async def test_codes_are_not_sent_unencrypted_to_other_computers(http):
    ctx = came_back("http://service.example", http)

    for call in (ctx.app.auth.verify_credentials, ctx.app.auth.generate_auth_url):
        with pytest.raises(ValidationFailed, match="https"):
            await call(ctx)


async def test_every_sign_in_has_its_own_state_verifier_and_challenge(http):
    seen = set()
    for _ in range(3):
        ctx = came_back("https://service.example", http)
        await ctx.app.auth.generate_auth_url(ctx)
        seen |= {ctx.auth.data["state"], ctx.auth.data["codeVerifier"], ctx.auth.data["url"]}

    assert len(seen) == 9
    assert len(new_state()) >= 43
    assert len(new_verifier()) == 96


async def test_a_device_is_asked_about_more_slowly_when_the_service_says_so(http, monkeypatch):
    waits: list[Any] = []
    monkeypatch.setattr("patchbay.integration.oauth_messages.asyncio.sleep", _sleeper(waits))
    pending, slower = Reply(400, {"error": "authorization_pending"}), Reply(400, {"error": "slow_down"})
    provider = Provider([Reply(200, _device()), pending, slower, pending])
    async with third_party(lambda seen: _as_token(provider, seen)) as service:
        app = forge(service.url, device_url=f"{service.url}/device")
        oauth = oauth2(device_url=f"{service.url}/device", token_url=f"{service.url}/token")
        ctx = Context(app=app, auth=CurrentAuth(data={"clientId": "patchbay"}), http_factory=http, now=NOW)
        await oauth.generate_auth_url(ctx)
        await oauth.sign_in(ctx)

    assert waits == [2, 2, 7, 7]
    assert ctx.auth.data["accessToken"] == "access-1"


def _device() -> dict[str, Any]:
    return {
        "device_code": "dc",
        "user_code": "ABCD-EFGH",
        "verification_uri": "https://x.example/device",
        "interval": 2,
        "expires_in": 60,
    }


def _as_token(provider: Provider, seen: Seen) -> Reply:
    seen.target = seen.target.replace("/device", "/token")
    return provider(seen)


def _sleeper(waits: list[float]):
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await real(0)

    return sleep
