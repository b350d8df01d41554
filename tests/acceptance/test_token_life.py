"""What becomes of a connection after the sign-in: tokens that end, rotate, stay or are taken back."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest
from tests.support.desk import TOOLS
from tests.support.forms import long_form
from tests.support.oidc_provider import OidcProvider, oidc_provider
from tests.support.sign_in_desk import SignInDesk, sign_in_desk
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.base import AppKey
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import NotSupported
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StepChange

ALMOST_OVER_MS = 250_000
"""More than 80 % of the five minutes that access tokens live here."""


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as running:
        yield running


@pytest.fixture
async def desk(tmp_path, provider) -> AsyncIterator[SignInDesk]:
    async with sign_in_desk(tmp_path, provider) as ready:
        yield ready


async def test_a_running_flow_renews_a_token_before_it_ends(desk, provider):
    made = await desk.connect()
    flow = await desk.flow(made)
    before = await desk.secrets(made)

    fresh = await desk.call(flow)
    desk.runtime.clock.now += ALMOST_OVER_MS
    later = await desk.call(flow)

    after = await desk.secrets(made)
    assert (fresh.status, later.status) == (StepState.SUCCESS, StepState.SUCCESS)
    assert later.data_out["data"]["sub"] == "ada"
    assert provider.refreshes == 1
    assert after["accessToken"] != before["accessToken"]
    assert after["refreshToken"] != before["refreshToken"]


@long_form
async def test_a_token_that_is_refused_early_is_renewed_once_and_the_request_repeated(desk, provider):
    made = await desk.connect()
    flow = await desk.flow(made)
    await desk.spoil_access(made)

    step = await desk.call(flow)

    assert step.status is StepState.SUCCESS
    assert provider.refreshes == 1


@long_form
async def test_parallel_runs_renew_once(desk, provider):
    made = await desk.connect()
    flows = [await desk.flow(made) for _ in range(4)]
    desk.runtime.clock.now += ALMOST_OVER_MS

    steps = await asyncio.gather(*(desk.call(flow) for flow in flows))

    assert {step.status for step in steps} == {StepState.SUCCESS}
    assert provider.refreshes == 1


@long_form
async def test_flows_tests_and_options_share_one_renewal(desk, provider):
    made = await desk.join_circle("ada")
    flow = await desk.runtime.flow(
        StepChange(app_key=TOOLS, key="catch"),
        StepChange(app_key=AppKey("circle"), key="who", connection_id=made.id),
    )
    step_id = flow.steps[1].id
    backend = desk.runtime.backend
    desk.runtime.clock.now += ALMOST_OVER_MS

    tested, options, told = await asyncio.gather(
        backend.test_connection(made.id),
        backend.dynamic_options(step_id, "choices", {}),
        backend.test_step(step_id),
    )

    assert tested.health is ConnectionHealth.VALID
    assert [option.label for option in options] == ["ada@example.com"]
    assert told.result.status is StepState.SUCCESS
    assert provider.refreshes == 1


@long_form
async def test_a_revoked_sign_in_needs_attention_and_is_not_retried(desk, provider):
    made = await desk.connect()
    flow = await desk.flow(made)
    await desk.provider.revoke(str((await desk.secrets(made))["refreshToken"]))
    desk.runtime.clock.now += ALMOST_OVER_MS

    steps = [await desk.call(flow) for _ in range(3)]

    marked = await desk.runtime.backend.get_connection(made.id)
    assert {step.status for step in steps} == {StepState.FAILURE}
    assert steps[0].error_details["said"] == "grant request is invalid"
    assert (marked.health, marked.verified) == (ConnectionHealth.NEEDS_ATTENTION, False)
    assert "grant request is invalid" in marked.reason
    assert provider.count("refresh_token", "refused") == 1

    again = await desk.runtime.backend.begin_sign_in("http", {}, made.id)
    await desk.browser.sign_in(again.url)
    assert (await desk.runtime.backend.finish_sign_in(again.id)).health is ConnectionHealth.VALID
    assert (await desk.call(flow)).status is StepState.SUCCESS


async def test_a_connection_that_renews_itself_is_not_duplicated(desk):
    made = await desk.join_circle("ada")

    with pytest.raises(NotSupported, match="renews its access token"):
        await desk.runtime.backend.duplicate_connection(made.id, "Copy")


class Lasting:
    """A provider of the other kind: the refresh token stays, and is not sent again."""

    def __init__(self) -> None:
        self.issued = 0
        self.down = False
        self.forms: list[dict[str, str]] = []

    def __call__(self, request: Seen) -> Reply:
        if request.path == "/token":
            return self._token({key: values[0] for key, values in parse_qs(request.body.decode()).items()})
        if request.path == "/me":
            good = request.headers.get("authorization") == f"Bearer access-{self.issued}"
            return Reply(200, {"sub": "ada", "email": "ada@example.com"}) if good else Reply(401)
        return Reply(404)

    def _token(self, form: dict[str, str]) -> Reply:
        self.forms.append(form)
        if self.down:
            return Reply(503, {"error": "temporarily_unavailable"})
        self.issued += 1
        answer = {"access_token": f"access-{self.issued}", "token_type": "bearer", "expires_in": 1800}
        if form["grant_type"] == "authorization_code":
            answer |= {"refresh_token": "lasting-refresh", "instance_url": "https://eu.example"}
        return Reply(200, answer)


@asynccontextmanager
async def lasting_desk(desk: SignInDesk) -> AsyncIterator[tuple[Lasting, str]]:
    """The provider, and the id of a connection to it."""
    provider = Lasting()
    async with third_party(provider) as service:
        values: dict[str, Any] = {"instanceUrl": service.url, "clientId": "patchbay"}
        began = await desk.runtime.backend.begin_sign_in(AppKey("circle"), values)
        state = parse_qs(began.url)["state"][0]
        await desk.browser.open(f"{began.redirect_url}?code=abc&state={state}")
        yield provider, (await desk.runtime.backend.finish_sign_in(began.id)).id


async def test_a_refresh_token_that_is_not_sent_again_is_kept(desk):
    async with lasting_desk(desk) as (provider, connection_id):
        for _ in range(2):
            desk.runtime.clock.now += 1_700_000
            tested = await desk.runtime.backend.test_connection(connection_id)
            assert tested.health is ConnectionHealth.VALID

        kept = await desk.runtime.credentials.load(connection_id)
        sent = [form.get("refresh_token") for form in provider.forms]
        assert sent == [None, "lasting-refresh", "lasting-refresh"]
        assert (kept["refreshToken"], kept["accessToken"]) == ("lasting-refresh", "access-3")
        assert kept["tokenAnswer"] == {"instance_url": "https://eu.example"}


async def test_a_passing_failure_keeps_the_token_that_still_lives(desk):
    async with lasting_desk(desk) as (provider, connection_id):
        provider.down = True
        desk.runtime.clock.now += 1_760_000

        tested = await desk.runtime.backend.test_connection(connection_id)

        assert tested.health is ConnectionHealth.VALID
        assert (await desk.runtime.credentials.load(connection_id))["accessToken"] == "access-1"


async def test_after_a_passing_failure_an_ended_token_is_renewed_when_the_service_is_back(desk):
    async with lasting_desk(desk) as (provider, connection_id):
        provider.down = True
        desk.runtime.clock.now += 2_000_000
        failed = await desk.runtime.backend.test_connection(connection_id)
        provider.down = False

        again = await desk.runtime.backend.test_connection(connection_id)

        assert failed.unreachable
        assert (again.health, again.unreachable) == (ConnectionHealth.VALID, None)
