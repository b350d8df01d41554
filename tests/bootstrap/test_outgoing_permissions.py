"""Calls to internal addresses are blocked by the owner of the flow or connection."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.support import patient
from tests.support.certificates import write_certificates
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, third_party

from patchbay.bootstrap.listen_options import ListenOptions
from patchbay.bootstrap.local import COMMAND
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime, open_runtime
from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import AppKey, JsonObject, UserId
from patchbay.domain.clock import now_ms
from patchbay.domain.errors import AppError, Forbidden, ValidationFailed
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StepChange
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.outgoing import OutgoingMode
from patchbay.integration.outgoing_addresses import AddressPolicy, OutgoingGuard, tls_context_for
from patchbay.integration.registry import load_apps
from patchbay.server.proxies import TrustedProxies, parse_networks
from patchbay.service.key_stores import MemoryKeyStore


@pytest.fixture
async def runtime(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    opened = await open_runtime(
        tmp_path / "patchbay.db", load_apps(), MemoryKeyStore(), now_ms, actor=COMMAND
    )
    opened.prepare_to_listen(ListenOptions(host="0.0.0.0"))
    await opened.engine.start()
    yield opened
    await opened.close(grace=0)


@pytest.fixture
async def editor(runtime) -> UserId:
    return (await runtime.backend.create_user("Eve", "eve@example.org")).id


@contextmanager
def acts(user_id: UserId | None, scope: Scope = Scope.OPERATE) -> Iterator[None]:
    token = current_actor.set(Actor(kind=ActorKind.KEY, name="key", id="k", user_id=user_id, scope=scope))
    try:
        yield
    finally:
        current_actor.reset(token)


async def flow_to(runtime: WorkspaceRuntime, url: str):
    """A flow that calls this address."""
    flow = await runtime.backend.create_flow("Calls")
    flow = await runtime.backend.add_step(flow.id) if len(flow.steps) < 2 else flow
    await runtime.backend.update_step(
        flow.steps[0].id, StepChange(app_key=AppKey("webhook"), key="catchRawWebhook")
    )
    parameters: JsonObject = {"method": "GET", "url": url, "headers": []}
    change = StepChange(app_key=AppKey("http-request"), key="customRequest", parameters=parameters)
    return await runtime.backend.update_step(flow.steps[1].id, change)


async def test_a_flow_of_an_editor_calls_nothing_inside_and_one_of_an_admin_does(runtime, editor):
    async with third_party(Reply(body={})) as inside:
        with acts(editor):
            hers = await flow_to(runtime, inside.url)
            refused = await runtime.backend.test_step(hers.steps[1].id)
        assert inside.seen == []
        assert refused.result.status is StepState.FAILURE
        assert "are blocked" in str(refused.result.error_details)

        ours = await flow_to(runtime, inside.url)
        done = await runtime.backend.test_step(ours.steps[1].id)
        assert done.result.status is StepState.SUCCESS

    assert len(inside.seen) == 1


async def test_an_admin_who_tests_the_draft_of_an_editor_lends_it_no_rights(runtime, editor):
    async with third_party(Reply(body={})) as inside:
        with acts(editor):
            hers = await flow_to(runtime, inside.url)
        tested = await runtime.backend.test_step(hers.steps[1].id)

        assert tested.result.status is StepState.FAILURE
        assert inside.seen == []


async def test_a_key_that_only_operates_is_bounded_in_the_flows_of_admins_too(runtime):
    async with third_party(Reply(body={})) as inside:
        with acts(None):
            ours = await flow_to(runtime, inside.url)
            tested = await runtime.backend.test_step(ours.steps[1].id)

        assert tested.result.status is StepState.FAILURE
        assert inside.seen == []


@pytest.mark.parametrize("approved", [True, False])
async def test_a_published_flow_is_bounded_by_who_published_it(runtime, editor, approved):
    """Whoever runs it: here the admin does."""
    async with third_party(Reply(body={})) as inside:
        with acts(editor):
            hers = await flow_to(runtime, inside.url)
            for step in hers.steps:
                await runtime.backend.skip_step_test(step.id)
        with contextlib.nullcontext() if approved else acts(editor):
            await runtime.backend.publish_flow(hers.id)
        changes = runtime.backend.changes()
        execution_id = await runtime.backend.run_flow(hers.id, {"a": 1})

        async with asyncio.timeout(PATIENCE):
            async for _ in changes:
                if (await runtime.backend.get_execution(execution_id)).finished_at is not None:
                    break
        assert len(inside.seen) == (1 if approved else 0)


async def test_a_connection_of_an_editor_is_verified_outside_only(runtime, editor):
    async with third_party(Reply(body={})) as inside:
        values = {"screenName": "C", "instanceUrl": inside.url, "apiKey": "k"}
        with acts(editor), pytest.raises(Forbidden):
            await runtime.backend.add_connection("changedetection", values)
        assert inside.seen == []

        made = await runtime.backend.add_connection("changedetection", values)
        assert made.verified


async def test_a_sign_in_of_an_editor_stays_outside_when_the_browser_comes_back(runtime, editor):
    """The browser returns unauthenticated; what counts is who began the sign-in."""
    runtime.workspace.webhooks = runtime.workspace.address = lambda: "http://127.0.0.1:8787"
    async with third_party(Reply(body={})) as inside:
        values = {
            "screenName": "O",
            "baseUrl": "https://api.example.com",
            "checkUrl": "/me",
            "kind": "oauth2",
            "authorizeUrl": "https://example.com/authorize",
            "tokenUrl": inside.url,
            "clientId": "c",
            "clientAuth": "post",
        }
        with acts(editor):
            began = await runtime.backend.begin_sign_in("http", values)
        state = httpx.URL(began.url).params["state"]
        assert await runtime.backend.handle_redirect({"state": state, "code": "x"})
        with acts(editor), pytest.raises(AppError, match="are blocked"):
            await runtime.backend.finish_sign_in(began.id)

        assert inside.seen == []


async def test_the_mode_decides_for_whom_addresses_are_blocked(runtime, editor):
    network, flow = runtime.http.network, (await runtime.backend.create_flow("A")).id
    with acts(editor):
        hers = (await runtime.backend.create_flow("B")).id

    async def blocks(flow_id: str) -> bool:
        return (await network.policy(flow_id=flow_id)).blocks

    found = {}
    for mode in OutgoingMode:
        await runtime.backend.change_service_settings(ServiceSettings(outgoing_addresses=mode))
        found[mode.value] = await blocks(flow), await blocks(hers)
    assert found == {
        "automatic": (False, True),
        "off": (False, False),
        "members": (False, True),
        "everybody": (True, True),
    }


async def test_by_itself_it_is_on_only_while_others_can_reach_the_service(runtime, editor):
    network = runtime.http.network
    runtime.prepare_to_listen(ListenOptions())
    assert network.effective_mode is OutgoingMode.OFF

    await runtime.backend.change_service_settings(ServiceSettings(public_address="https://flows.example.org"))
    assert network.effective_mode is OutgoingMode.MEMBERS  # behind a reverse proxy
    await runtime.backend.change_service_settings(ServiceSettings())
    runtime.prepare_to_listen(ListenOptions(host="192.168.1.10"))
    assert network.effective_mode is OutgoingMode.MEMBERS


@pytest.mark.parametrize(
    ("listen_options", "mode"),
    [
        (
            ListenOptions(interface_address="https://patchbay.example.org", webhook_port=8788),
            OutgoingMode.MEMBERS,
        ),
        (ListenOptions(interface_address="http://localhost:8787", webhook_port=8788), OutgoingMode.OFF),
        (ListenOptions(proxies=TrustedProxies(parse_networks(["127.0.0.1"]))), OutgoingMode.MEMBERS),
    ],
)
async def test_by_itself_it_is_on_behind_a_proxy(runtime, listen_options, mode):
    runtime.prepare_to_listen(listen_options)

    assert runtime.http.network.effective_mode is mode


async def test_the_name_of_the_interface_is_the_service_itself(runtime):
    runtime.prepare_to_listen(
        ListenOptions(interface_address="https://patchbay.example.org", webhook_port=8788)
    )
    policy = runtime.http.network.strictest

    with pytest.raises(Forbidden) as refusal:
        await policy.addresses_of("patchbay.example.org", 443)

    assert "this Patchbay server" in refusal.value.text()


async def test_settings_are_kept_and_checked(runtime, tmp_path):
    wanted = ServiceSettings(outgoing_addresses=OutgoingMode.EVERYBODY, allowed_addresses=(" NAS.lan ",))
    kept = await runtime.backend.change_service_settings(wanted)
    assert kept.allowed_addresses == ("nas.lan",)
    assert runtime.http.network.allowed.has_host("nas.lan", 80)

    with pytest.raises(ValidationFailed) as refused:
        await runtime.backend.change_service_settings(
            wanted.model_copy(update={"allowed_addresses": ("a b",)})
        )
    assert list(refused.value.by_field) == ["allowedAddresses"]


async def test_over_the_interface_the_settings_are_for_admins(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0))
    key = (await runtime.backend.api_keys.create("key")).value
    async with patient.AsyncClient(base_url=http_listeners.address, headers={"x-api-token": key}) as http:
        body = {"outgoingAddresses": "everybody", "allowedAddresses": ["10.0.0.0/8"]}
        answer = await http.patch("/v1/service", json=body)
        assert answer.json()["data"]["outgoingAddresses"] == "everybody"
        assert (await http.patch("/v1/service", json={"outgoingAddresses": "maybe"})).status_code == 422
        wrong = await http.patch("/v1/service", json={"allowedAddresses": ["http://x"]})
        assert list(wrong.json()["errors"]) == ["allowedAddresses"]


@pytest.mark.parametrize("name", ["127.0.0.1", "other.example"])
async def test_certificates_are_checked_for_the_name_not_for_the_address(tmp_path: Path, name: str):
    """Mail servers and databases are connected to by their checked address."""
    write_certificates(tmp_path)
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=served)
    async with server:
        port = server.sockets[0].getsockname()[1]
        tls = tls_context_for(name, (tmp_path / "authority.pem").read_text())
        opening = asyncio.open_connection("127.0.0.1", port, ssl=tls)
        if name == "127.0.0.1":
            (await opening)[1].close()
        else:
            with pytest.raises(ssl.SSLCertVerificationError, match=r"other\.example"):
                await opening


def test_calls_without_a_known_caller_have_no_permissions():
    assert OutgoingGuard(mode=OutgoingMode.MEMBERS).strictest.blocks
    assert not AddressPolicy().blocks
