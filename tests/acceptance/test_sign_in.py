"""Signing in in the browser at a real OpenID provider: what goes well, and everything that must not."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.support import patient
from tests.support.forms import long_form
from tests.support.oidc_provider import Browser, OidcProvider, oidc_provider
from tests.support.sign_in_desk import SignInDesk, sign_in_desk

from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import (
    Conflict,
    DifferentAccount,
    NotFound,
    NotSupported,
    ThirdPartyError,
    TimedOut,
    ValidationFailed,
)
from patchbay.integration.context import Context, CurrentAuth
from patchbay.storage.repositories import sign_ins

MINUTE = 60_000


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as running:
        yield running


@pytest.fixture
async def desk(tmp_path, provider) -> AsyncIterator[SignInDesk]:
    async with sign_in_desk(tmp_path, provider) as ready:
        yield ready


def came_back_to(page: httpx.Response) -> str:
    """The address the provider sent the browser to."""
    return next(step.headers["location"] for step in page.history if "code=" in step.headers["location"])


async def test_a_sign_in_brings_a_connection_that_works(desk, provider):
    backend = desk.runtime.backend
    began = await backend.begin_sign_in("http", provider.connection())
    asked = {key: values[0] for key, values in parse_qs(urlsplit(began.url).query).items()}
    page = await desk.browser.sign_in(began.url)
    made = await backend.finish_sign_in(began.id)

    assert (asked["code_challenge_method"], asked["prompt"]) == ("S256", "consent")
    assert len(asked["state"]) >= 43
    assert asked["nonce"]
    assert asked["redirect_uri"] == f"{desk.service.base_url}/oauth/callback" == began.redirect_url
    assert (made.health, made.screen_name, made.verified) == (ConnectionHealth.VALID, "Ada", True)
    kept = await desk.secrets(made)
    assert kept["accessToken"]
    assert kept["refreshToken"]
    assert not {"code", "state", "codeVerifier", "nonce", "callback", "url"} & set(kept)
    assert "close this page" in page.text
    assert "history.replaceState" in page.text
    assert str(kept["accessToken"]) not in page.text + made.model_dump_json()
    assert (await backend.test_connection(made.id)).health is ConnectionHealth.VALID
    assert await backend.finish_sign_in(began.id) == await backend.get_connection(made.id)


@pytest.mark.parametrize(
    ("client", "secret", "way"),
    [("posting", "posted-secret-1", "post"), ("basic", "basic-secret-1", "basic")],
)
async def test_a_client_with_a_secret_says_who_it_is_either_way(desk, client, secret, way):
    made = await desk.connect(clientId=client, clientSecret=secret, clientAuth=way)

    assert made.health is ConnectionHealth.VALID
    assert secret not in made.model_dump_json()


async def test_a_wrong_client_secret_is_refused_in_the_providers_words(desk):
    with pytest.raises(ThirdPartyError, match="client authentication failed"):
        await desk.connect(clientId="posting", clientSecret="not-the-secret")

    assert await desk.runtime.backend.list_connections() == ()


async def test_a_refusal_is_reported_in_the_providers_words(desk, provider):
    backend = desk.runtime.backend
    began = await backend.begin_sign_in("http", provider.connection())
    await desk.browser.refuse(began.url)

    with pytest.raises(ThirdPartyError) as caught:
        await backend.finish_sign_in(began.id)

    assert caught.value.said == "End-User aborted interaction"
    assert "denied or cancelled" in caught.value.meaning
    assert await backend.list_connections() == ()


async def test_a_page_with_a_foreign_state_does_not_end_the_wait(desk, provider):
    backend = desk.runtime.backend
    began = await backend.begin_sign_in("http", provider.connection())
    waiting = asyncio.create_task(backend.finish_sign_in(began.id))

    foreign = await desk.browser.open(f"{began.redirect_url}?code=stolen&state=foreign")
    await desk.browser.sign_in(began.url)

    assert foreign.status_code == 400
    assert "stolen" not in foreign.text
    assert (await waiting).health is ConnectionHealth.VALID


async def test_an_answer_of_another_issuer_is_refused(desk, provider):
    backend = desk.runtime.backend
    began = await backend.begin_sign_in("http", provider.connection())
    state = parse_qs(urlsplit(began.url).query)["state"][0]
    await desk.browser.open(f"{began.redirect_url}?code=any&state={state}&iss=https://evil.example")

    with pytest.raises(ThirdPartyError) as caught:
        await backend.finish_sign_in(began.id)

    assert "evil.example" in caught.value.meaning
    assert provider.grants == []


async def test_a_callback_counts_once_and_only_at_this_computers_name(desk, provider):
    backend = desk.runtime.backend
    began = await backend.begin_sign_in("http", provider.connection())
    async with patient.AsyncClient() as client:
        rebound = await client.get(f"{began.redirect_url}?state=x&code=y", headers={"host": "evil.example"})
    page = await desk.browser.sign_in(began.url)
    callback = came_back_to(page)
    again = await desk.browser.open(callback)

    assert rebound.status_code == 403
    assert again.status_code == 400
    assert (await backend.finish_sign_in(began.id)).health is ConnectionHealth.VALID
    assert provider.count("authorization_code") == 1


async def test_a_replayed_code_is_refused_and_ends_the_connection_it_made(desk, provider):
    app = desk.runtime.backend._context.apps.get("http")
    began = await desk.runtime.backend.begin_sign_in("http", provider.connection())
    pending = await desk.runtime.db.read(lambda tx: sign_ins.get(tx, began.id))
    data = await desk.runtime.secret_store.unseal(pending.sealed)
    page = await desk.browser.sign_in(began.url)
    callback = came_back_to(page)
    made = await desk.runtime.backend.finish_sign_in(began.id)
    answer: dict[str, Any] = {key: values[0] for key, values in parse_qs(urlsplit(callback).query).items()}
    ctx = Context(
        app=app, auth=CurrentAuth(data={**data, "callback": answer}), http_factory=desk.runtime.http
    )

    with pytest.raises(ThirdPartyError) as caught:
        await app.auth.verify_credentials(ctx)

    assert caught.value.said == "grant request is invalid"
    tested = await desk.runtime.backend.test_connection(made.id)
    assert tested.health is ConnectionHealth.NEEDS_ATTENTION


async def test_the_final_address_may_be_pasted_by_hand(desk, provider):
    backend = desk.runtime.backend
    desk.runtime.address[0] = "http://127.0.0.1:9"
    began = await backend.begin_sign_in("http", provider.connection())
    with pytest.raises(httpx.ConnectError) as gone:
        await desk.browser.sign_in(began.url)
    address = str(gone.value.request.url)

    with pytest.raises(ValidationFailed, match="full address"):
        await backend.submit_callback(began.id, "http://127.0.0.1:9/oauth/callback")
    await backend.submit_callback(began.id, f" {address} ")
    assert (await backend.finish_sign_in(began.id)).health is ConnectionHealth.VALID

    other = await backend.begin_sign_in("http", provider.connection())
    with pytest.raises(ValidationFailed, match="another sign-in"):
        await backend.submit_callback(other.id, address)


async def test_a_sign_in_can_be_cancelled_while_it_is_awaited(desk, provider):
    backend = desk.runtime.backend
    began = await backend.begin_sign_in("http", provider.connection())
    waiting = asyncio.create_task(backend.finish_sign_in(began.id))
    await asyncio.sleep(0)
    await backend.cancel_sign_in(began.id)

    with pytest.raises(NotFound):
        await waiting
    late = await desk.browser.sign_in(began.url)
    assert late.status_code == 400
    assert await backend.list_connections() == ()


async def test_a_sign_in_is_over_after_ten_minutes(desk, provider):
    backend = desk.runtime.backend
    began = await backend.begin_sign_in("http", provider.connection())
    desk.runtime.clock.now += 10 * MINUTE

    with pytest.raises(TimedOut):
        await backend.finish_sign_in(began.id)
    late = await desk.browser.sign_in(began.url)
    assert late.status_code == 400


async def test_drafts_are_encrypted_and_gone_after_a_day(desk, provider):
    backend = desk.runtime.backend
    draft = await backend.begin_sign_in("http", provider.connection(clientSecret="planted-secret-77"))
    state = parse_qs(urlsplit(draft.url).query)["state"][0]
    pending = await desk.runtime.db.read(lambda tx: sign_ins.get(tx, draft.id))
    desk.runtime.clock.now += 25 * 60 * MINUTE
    await backend.begin_sign_in("http", provider.connection())

    assert b"planted-secret-77" not in pending.sealed.ciphertext
    assert state not in str(pending)
    with pytest.raises(NotFound):
        await backend.finish_sign_in(draft.id)


async def test_less_than_was_requested_is_noticed(desk):
    with pytest.raises(ThirdPartyError) as caught:
        await desk.connect(scopes="openid email admin")

    assert "Missing: admin." in caught.value.meaning
    assert await desk.runtime.backend.list_connections() == ()


async def test_the_page_to_check_with_must_need_credentials(desk):
    with pytest.raises(ValidationFailed, match="responds without credentials"):
        await desk.connect(checkUrl="/.well-known/openid-configuration")


async def test_a_reconnect_that_is_refused_keeps_the_old_credentials(desk):
    backend = desk.runtime.backend
    made = await desk.join_circle("ada")
    before = await desk.secrets(made)
    again = await backend.begin_sign_in("circle", {}, made.id)
    await desk.browser.refuse(again.url)

    with pytest.raises(ThirdPartyError):
        await backend.finish_sign_in(again.id)

    assert await desk.secrets(made) == before
    assert (await backend.test_connection(made.id)).health is ConnectionHealth.VALID


@long_form
async def test_another_account_than_before_asks_first(desk, provider):
    backend = desk.runtime.backend
    made = await desk.join_circle("ada")
    await backend.rename_connection(made.id, "Mine")
    again = await backend.begin_sign_in("circle", {}, made.id)
    async with Browser() as other_person:
        await other_person.sign_in(again.url, "grace")

    with pytest.raises(DifferentAccount) as caught:
        await backend.finish_sign_in(again.id)
    still = await backend.get_connection(made.id)
    now = await backend.finish_sign_in(again.id, accept_other_account=True)

    assert (caught.value.before, caught.value.now) == ("Mine", "grace@example.com")
    assert (still.account, still.screen_name) == ("ada", "Mine")
    assert (now.id, now.account, now.screen_name) == (made.id, "grace", "grace@example.com")


@long_form
async def test_signing_in_again_with_the_same_account_keeps_the_name_given_to_it(desk):
    made = await desk.join_circle("ada")
    await desk.runtime.backend.rename_connection(made.id, "Mine")

    again = await desk.join_circle("ada", made)

    assert (again.id, again.screen_name, again.account) == (made.id, "Mine", "ada")


async def test_the_form_shows_the_exact_address_to_register(desk):
    app = await desk.runtime.backend.get_app("circle")
    field = next(item for item in app.auth.fields if item.key == "oAuthRedirectUrl")

    assert field.value == f"{desk.service.base_url}/oauth/callback"
    assert (field.read_only, field.click_to_copy, app.auth.uses_browser) == (True, True, True)


async def test_credentials_are_not_taken_where_the_browser_is_needed_nor_the_reverse(desk, provider):
    backend = desk.runtime.backend

    with pytest.raises(NotSupported, match="browser"):
        await backend.add_connection("http", provider.connection())
    with pytest.raises(NotSupported, match="use a browser sign-in"):
        await backend.begin_sign_in("http", provider.connection(kind="bearer", token="x"))


async def test_the_sign_in_does_not_start_without_a_listener(desk, provider):
    desk.runtime.address[0] = None

    with pytest.raises(Conflict, match="can't return"):
        await desk.runtime.backend.begin_sign_in("http", provider.connection())


@long_form
async def test_a_code_entered_on_another_device_signs_in(desk, provider):
    backend = desk.runtime.backend
    values = provider.connection(kind="device", deviceUrl=f"{provider.address}/device/auth")
    began = await backend.begin_sign_in("http", values)
    assert began.device
    waiting = asyncio.create_task(backend.finish_sign_in(began.id))

    await desk.browser.enter_code(began.url)

    assert (await waiting).health is ConnectionHealth.VALID
    assert began.device.user_code in began.url
