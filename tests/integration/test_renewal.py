"""New tokens: before the old ones end, after a 401, one holder at a time, and never again after the end."""

import asyncio

import pytest
from tests.support.oauth_forge import NOW, Kept, Provider, forge, granted, using
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, third_party

from patchbay.domain.errors import ThirdPartyError, Unreachable
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.token_renewal import is_renewal_due


@pytest.fixture
async def http():
    factory = HttpFactory(timeout=PATIENCE)
    yield factory
    await factory.aclose()


@pytest.mark.parametrize(
    ("life_s", "after_s", "due"),
    [(3600, 2000, False), (3600, 2880, True), (150, 89, False), (150, 90, True), (5, 3, False), (5, 4, True)],
)
def test_tokens_are_renewed_at_80_percent_of_their_life_or_a_minute_before_the_end(life_s, after_s, due):
    data = {"obtainedAt": NOW, "expiresAt": NOW + life_s * 1000}

    assert is_renewal_due(data, NOW + after_s * 1000) is due


async def test_a_token_without_a_lifetime_is_renewed_when_it_is_refused(http):
    provider, kept = Provider(issued=5, lifetime=None), Kept(granted(expiresAt=None))
    async with third_party(provider) as service:
        ctx = await using(kept, forge(service.url), http)
        answer = await ctx.http.get("/me")

    assert answer.json() == {"who": "ada"}
    assert len(provider.forms) == 1
    assert kept.data["accessToken"] == "access-6"


async def test_a_request_is_repeated_once_and_no_more(http):
    provider, kept = Provider([Reply(200, {"access_token": "useless"})], issued=5), Kept(granted())
    async with third_party(provider) as service:
        ctx = await using(kept, forge(service.url), http)
        with pytest.raises(ThirdPartyError) as caught:
            await ctx.http.get("/me")

        assert [seen.path for seen in service.seen] == ["/me", "/token", "/me"]
    assert caught.value.status == 401


async def test_six_calls_at_once_on_one_client_and_on_six_renew_once(http):
    for shared in (True, False):
        provider, kept = Provider(issued=5), Kept(granted())
        async with third_party(provider) as service:
            app = forge(service.url)
            one = await using(kept, app, http)
            contexts = [one if shared else await using(kept, app, http) for _ in range(6)]

            answers = await asyncio.gather(*(ctx.http.get("/me") for ctx in contexts))

        assert [answer.status for answer in answers] == [200] * 6
        assert len(provider.forms) == 1


async def test_credentials_stored_meanwhile_are_used_instead(http):
    provider, kept = Provider(issued=5), Kept(granted())
    async with third_party(provider) as service:
        ctx = await using(kept, forge(service.url), http)
        kept.data = granted(5)

        assert (await ctx.http.get("/me")).status == 200

    assert provider.forms == []


async def test_tokens_that_lost_the_race_for_storing_are_not_used(http, monkeypatch):
    provider, kept = Provider(issued=5), Kept(granted())

    async def too_late(connection_id, before, after):
        kept.data = granted(6, by="a reconnect")
        return False

    monkeypatch.setattr(kept, "replace", too_late)
    async with third_party(provider) as service:
        ctx = await using(kept, forge(service.url), http)
        await ctx.http.get("/me")

    assert ctx.auth.data["by"] == "a reconnect"


async def test_an_ended_grant_marks_the_connection_once_and_is_not_requested_again(http):
    ended = Reply(400, {"error": "invalid_grant", "error_description": "Token has been revoked"})
    provider, kept = Provider([ended], issued=5), Kept(granted())
    async with third_party(provider) as service:
        app = forge(service.url)
        for _ in range(3):
            ctx = await using(kept, app, http)
            with pytest.raises(ThirdPartyError, match="Token has been revoked"):
                await ctx.http.get("/me")

        assert [seen.path for seen in service.seen] == ["/me", "/token"]
    assert kept.invalid == ["Forge returned “Token has been revoked”."]


async def test_a_renewal_that_is_no_longer_waited_for_is_still_stored(http):
    asked = asyncio.Event()
    provider, kept = Provider(issued=5, asked=asked), Kept(granted())
    async with third_party(provider) as service:
        ctx = await using(kept, forge(service.url), http)
        asking = asyncio.create_task(ctx.http.get("/me"))
        await asked.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await http.token_renewer.wait_until_idle()

    assert kept.data["refreshToken"] == "refresh-6"


async def test_while_the_service_is_down_a_living_token_is_used_and_an_ended_one_tells_why(http):
    provider, kept = Provider([Reply(503), Reply(503)], issued=0), Kept(granted())
    async with third_party(provider) as service:
        app = forge(service.url)
        alive = await using(kept, app, http, NOW + 3_550_000)
        assert (await alive.http.get("/me")).status == 200
        over = await using(kept, app, http, NOW + 3_700_000)
        with pytest.raises(ThirdPartyError) as caught:
            await over.http.get("/me")

    assert caught.value.status == 503
    assert (kept.data["accessToken"], kept.invalid) == ("access-0", [])


async def test_a_network_failure_leaves_the_tokens_as_they_are(http):
    kept = Kept(granted())
    ctx = await using(kept, forge("http://127.0.0.1:9"), http, NOW + 3_700_000)

    with pytest.raises(Unreachable):
        await ctx.http.get("/me")

    assert (kept.data, kept.invalid) == (granted(), [])
