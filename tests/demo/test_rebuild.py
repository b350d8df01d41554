"""Everything in the demo can be built again on this computer: the same apps, forms, steps, and flows."""

from collections.abc import AsyncIterator

import pytest
from tests.support.forms import long_form
from tests.support.storage_rows import NOW

from patchbay.bootstrap.demo import open_demo
from patchbay.bootstrap.listen_options import ListenOptions
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime, open_runtime
from patchbay.demo.blueprint import blueprint, load_json
from patchbay.demo.offline import SIGN_IN_NOTICE, DemoServices
from patchbay.demo.transport import DemoTransport
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.fields import SCREEN_NAME
from patchbay.domain.flows import Flow, FlowFilter, StepChange, StructuralType
from patchbay.domain.paging import PageRequest
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.outgoing_addresses import OutgoingGuard
from patchbay.integration.registry import load_apps
from patchbay.platform.paths import AppPaths
from patchbay.service.key_stores import MemoryKeyStore

ALL = PageRequest(limit=200)


@pytest.fixture
async def demo(tmp_path) -> AsyncIterator[Backend]:
    opened = await open_demo(AppPaths.choose(tmp_path), now=NOW, run=False)
    yield opened.backend
    await opened.close()


@pytest.fixture
async def local(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    """A new workspace with the installed apps, at services that answer like those of the demo."""
    services = OutgoingGuard(offline=DemoServices(lambda: NOW))
    http = HttpFactory(DemoTransport(lambda: NOW, delay_factor=0), network=services)
    runtime = await open_runtime(
        tmp_path / "local.db", load_apps(), MemoryKeyStore(), lambda: NOW, kind="local", http=http
    )
    await runtime.listen(ListenOptions(port=0))
    yield runtime
    await runtime.close(grace=0)


async def connect(backend: Backend, key: AppKey) -> Connection:
    """A connection to an app, as a person makes it with its form."""
    app = await backend.get_app(key)
    assert app.auth is not None
    account = load_json("accounts")[key]
    entered = {**account["shown"], **account["stored"], SCREEN_NAME: "Mine"}
    values = {field.key: entered[field.key] for field in app.auth.fields if field.key in entered}
    if not app.auth.needs_browser(values):
        return await backend.add_connection(key, values)
    began = await backend.begin_sign_in(key, values)
    assert began.notice == SIGN_IN_NOTICE
    return await backend.finish_sign_in(began.id)


@long_form
async def test_every_flow_of_the_demo_can_be_exported_imported_connected_and_published(demo, local):
    names = {flow.id: flow for flow in (await demo.list_flows(FlowFilter(), ALL)).items}
    backend, connections = local.backend, dict[AppKey, ConnectionId]()
    imported = {}
    for flow_id, original in names.items():
        export = await demo.export_flow(flow_id)
        flow = imported[original.name] = await backend.import_flow(export)
        assert [step.parameters.keys() for step in flow.steps] == [
            step.parameters.keys() for step in (await demo.get_flow(flow_id)).steps
        ]
        await _known_and_connected(backend, flow, connections)

    for plan in blueprint().flows:
        if not plan.draft:
            assert (await _published(backend, imported[plan.name])).active


async def _known_and_connected(backend: Backend, flow: Flow, connections: dict[AppKey, ConnectionId]) -> None:
    """Check that the apps and events of a flow are installed here, and give its steps connections."""
    for position, step in enumerate(flow.steps, 1):
        if not step.app_key:
            continue
        app = await backend.get_app(step.app_key)
        events = {event.key: event for event in (app.triggers if position == 1 else app.actions)}
        assert not app.broken
        assert step.key is None or step.key in events
        if app.supports_connections and step.key:
            if step.app_key not in connections:
                connections[step.app_key] = (await connect(backend, step.app_key)).id
            await backend.update_step(step.id, StepChange(connection_id=connections[step.app_key]))


async def _published(backend: Backend, flow: Flow) -> Flow:
    for step in flow.steps:
        if step.structural_type is not StructuralType.BRANCH:
            await backend.skip_step_test(step.id)
    return await backend.publish_flow(flow.id)


async def test_a_connection_of_the_demo_is_tested_and_made_good_by_signing_in_again(demo):
    failing = {
        item.app_key: item
        for item in await demo.list_connections()
        if item.health is ConnectionHealth.NEEDS_ATTENTION
    }

    tested = await demo.test_connection(failing[AppKey("todoist")].id)
    began = await demo.begin_sign_in(AppKey("todoist"), {}, failing[AppKey("todoist")].id)
    renewed = await demo.finish_sign_in(began.id)

    assert tested.health is ConnectionHealth.NEEDS_ATTENTION
    assert "401" in (tested.reason or "")
    assert renewed.health is ConnectionHealth.VALID
    with pytest.raises(ThirdPartyError, match="Authenticate"):
        await demo.reconnect(failing[AppKey("twilio")].id, {})


async def test_a_draft_of_the_demo_that_a_webhook_starts_can_be_published_without_a_server(demo):
    draft = (await demo.list_flows(FlowFilter(name="Welcome new subscribers"), ALL)).items[0]

    assert (await _published(demo, draft)).active


@long_form
async def test_each_connection_of_the_demo_has_the_health_that_it_shows(demo):
    shown = {item.id: item.health for item in await demo.list_connections()}

    tested = {key: (await demo.test_connection(key)).health for key in shown}

    failing = ConnectionHealth.NEEDS_ATTENTION
    assert {key for key, health in tested.items() if health is failing} == {
        key for key, health in shown.items() if health is failing
    }
    assert set(tested.values()) == {failing, ConnectionHealth.VALID}
