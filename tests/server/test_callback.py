"""The address browsers come back to after a sign-in."""

import pytest
from tests.support.desk import forge
from tests.support.workspace import open_runtime

from patchbay.domain.errors import SecretsUnavailable

CALLBACK = "/oauth/callback"


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path, more_apps=[forge])
    yield opened
    await opened.close()


async def state_of_a_sign_in(runtime) -> str:
    began = await runtime.backend.begin_sign_in("forge", {"clientId": "patchbay"})
    return began.url.rpartition("=")[2]


async def test_the_page_needs_no_key_shows_nothing_secret_and_is_kept_nowhere(runtime, stranger):
    state = await state_of_a_sign_in(runtime)
    page = await stranger.get(CALLBACK, params={"state": state, "error": "access_denied"})

    assert page.status_code == 200
    assert state not in page.text
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "history.replaceState(null, '', '/oauth/done')" in page.text
    assert (await stranger.get("/oauth/done")).status_code == 200


@pytest.mark.parametrize(
    "query", ["", "?code=x", "?state=", "?state=unknown&code=x", "?state=" + "x" * 20_000, "?state=a&state=b"]
)
async def test_what_no_sign_in_waits_for_is_answered_400(runtime, stranger, query):
    await state_of_a_sign_in(runtime)

    assert (await stranger.get(CALLBACK + query)).status_code == 400


async def test_a_token_after_the_hash_is_relayed_without_using_up_the_sign_in(runtime, stranger):
    state = await state_of_a_sign_in(runtime)

    page = await stranger.get(CALLBACK, params={"state": state})

    assert page.status_code == 400
    assert state not in page.text
    assert "location.replace(location.search + '&' + location.hash.slice(1))" in page.text
    assert (await stranger.get(CALLBACK, params={"state": state, "token": "t"})).status_code == 200


async def test_an_answer_counts_once(runtime, stranger):
    answer = {"state": await state_of_a_sign_in(runtime), "error": "access_denied"}

    assert (await stranger.get(CALLBACK, params=answer)).status_code == 200
    assert (await stranger.get(CALLBACK, params=answer)).status_code == 400


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE"])
async def test_only_get_is_taken(runtime, stranger, method):
    answer = {"state": await state_of_a_sign_in(runtime), "code": "x"}

    assert (await stranger.request(method, CALLBACK, params=answer)).status_code == 405
    assert (await stranger.get(CALLBACK, params=answer)).status_code == 200


async def test_a_page_that_calls_this_computer_by_another_name_is_turned_away(runtime, stranger):
    answer = {"state": await state_of_a_sign_in(runtime), "code": "x"}

    rebound = await stranger.get(CALLBACK, params=answer, headers={"host": "evil.example"})

    assert rebound.status_code == 403
    assert (await stranger.get(CALLBACK, params=answer)).status_code == 200


async def test_a_refused_place_for_secrets_is_reported_on_the_page(runtime, stranger, monkeypatch):
    async def locked(answer):
        raise SecretsUnavailable("The <keyring> is locked.", reason="locked")

    monkeypatch.setattr(runtime.backend, "handle_redirect", locked)
    page = await stranger.get(CALLBACK, params={"state": "x", "code": "y"})

    assert page.status_code == 503
    assert "The &lt;keyring&gt; is locked." in page.text
