"""Webhooks that a third party keeps for us: there while the flow is live, and not otherwise."""

import asyncio

import pytest
from tests.support.bell import BellService, bell
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.domain.base import AppKey
from patchbay.domain.errors import Conflict, FlowNotReady, ServerFault, StorageFault, ThirdPartyError
from patchbay.domain.flows import StepChange
from patchbay.storage.repositories import flow_versions


@pytest.fixture
def service():
    running = BellService()
    yield running
    running.close()


@pytest.fixture
async def runtime(tmp_path, service):
    opened = await open_runtime(tmp_path, service, more_apps=[bell])
    yield opened
    await opened.close()


@pytest.fixture
def publish(runtime):
    return runtime.backend.publish_flow


async def rung(runtime, service, event="door"):
    """A flow that is ready to be published and starts when Bell rings."""
    values = {"screenName": "Ada", "apiKey": service.good_key}
    connection = await runtime.backend.add_connection("bell", values)
    change = StepChange(
        app_key=AppKey("bell"), key="rung", connection_id=connection.id, parameters={"event": event}
    )
    return await runtime.skipped(await runtime.flow(change, PASS))


async def listening_for(runtime, flow, event):
    """The flow with another event, ready to be published again."""
    change = StepChange(parameters={"event": event})
    return await runtime.skipped(await runtime.backend.update_step(flow.steps[0].id, change))


async def remote_id(runtime, flow):
    state = await runtime.db.read(lambda tx: flow_versions.get_trigger_state(tx, flow.id))
    return state and state.cursor.get("remoteWebhookId")


async def test_publishing_tells_the_service_where_to_call(runtime, service, publish):
    flow = await publish((await rung(runtime, service)).id)

    assert service.hooks["hook-1"]["url"] == f"http://127.0.0.1:8787/webhooks/flows/{flow.id}"
    assert (await remote_id(runtime, flow), flow.active) == ("hook-1", True)


async def test_unpublishing_and_deleting_take_it_back(runtime, service, publish):
    flow = await publish((await rung(runtime, service)).id)

    await runtime.backend.unpublish_flow(flow.id)
    assert service.hooks == {}

    await publish(flow.id)
    assert list(service.hooks) == ["hook-2"]
    await runtime.backend.delete_flow(flow.id)
    assert service.hooks == {}


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_service_that_cannot_forget_it_holds_nothing_up(runtime, service, publish, caplog, deleted):
    flow = await publish((await rung(runtime, service)).id)
    service.refuses_removal = True

    await (runtime.backend.delete_flow if deleted else runtime.backend.unpublish_flow)(flow.id)

    assert "Bell still calls the flow “A flow”" in caplog.text
    assert await remote_id(runtime, flow) is None


async def test_a_flow_that_cannot_be_registered_stays_a_draft_and_says_why(runtime, service, publish):
    service.refused_events.add("door")
    flow = await rung(runtime, service)

    with pytest.raises(ThirdPartyError, match="No such event: door"):
        await publish(flow.id)

    assert (await runtime.backend.get_flow(flow.id)).active is False
    assert (await remote_id(runtime, flow), service.hooks) == (None, {})


@pytest.mark.parametrize(("event", "kind"), [("half", ThirdPartyError), ("bug", ServerFault)])
async def test_a_half_registered_webhook_is_rolled_back(runtime, service, publish, event, kind):
    flow = await rung(runtime, service, event)

    with pytest.raises(kind):
        await publish(flow.id)

    assert service.calls[-2:] == ["POST /webhooks", "POST /webhooks/hook-1/remove"]
    assert service.hooks == {}


async def test_nothing_is_registered_before_everything_was_checked(runtime, service, publish):
    flow = await rung(runtime, service)
    await runtime.backend.add_step(flow.id)

    with pytest.raises(FlowNotReady):
        await publish(flow.id)

    assert service.calls == ["GET /me"]


async def test_a_flow_that_cannot_be_stored_is_not_registered_either(runtime, service, publish, monkeypatch):
    flow = await rung(runtime, service)

    def refuse(*args):
        raise StorageFault("The disk is full.")

    monkeypatch.setattr(runtime.backend._publishing, "_freeze", refuse)
    with pytest.raises(StorageFault):
        await publish(flow.id)

    assert service.calls[-2:] == ["POST /webhooks", "POST /webhooks/hook-1/remove"]
    assert service.hooks == {}
    assert (await runtime.backend.get_flow(flow.id)).active is False


async def test_another_event_is_registered_in_place_of_the_old_one(runtime, service, publish):
    flow = await publish((await rung(runtime, service)).id)
    await listening_for(runtime, flow, "window")

    await publish(flow.id)

    assert {key: hook["event"] for key, hook in service.hooks.items()} == {"hook-2": "window"}
    assert await remote_id(runtime, flow) == "hook-2"


async def test_an_edit_of_an_action_leaves_the_registration_alone(runtime, service, publish):
    flow = await publish((await rung(runtime, service)).id)
    await runtime.backend.update_step(flow.steps[1].id, StepChange(parameters={"text": "x"}))
    await runtime.backend.skip_step_test(flow.steps[1].id)

    await publish(flow.id)

    assert list(service.hooks) == ["hook-1"]
    assert await remote_id(runtime, flow) == "hook-1"


async def test_another_app_takes_the_registration_back(runtime, service, publish):
    flow = await publish((await rung(runtime, service)).id)
    await runtime.skipped(await runtime.backend.update_step(flow.steps[0].id, CATCH))

    await publish(flow.id)

    assert service.hooks == {}


async def test_when_the_new_event_is_refused_the_old_one_continues(runtime, service, publish):
    flow = await publish((await rung(runtime, service)).id)
    await listening_for(runtime, flow, "chimney")
    service.refused_events.add("chimney")

    with pytest.raises(ThirdPartyError, match="chimney"):
        await publish(flow.id)

    assert [hook["event"] for hook in service.hooks.values()] == ["door"]
    assert await remote_id(runtime, flow) == "hook-2"
    assert (await runtime.backend.get_flow(flow.id)).published_version == 1


async def test_a_failed_rollback_is_reported_to_the_user(runtime, service, publish):
    flow = await publish((await rung(runtime, service)).id)
    await listening_for(runtime, flow, "chimney")
    service.refused_events |= {"door", "chimney"}

    with pytest.raises(ThirdPartyError) as refused:
        await publish(flow.id)

    assert "isn't called now" in refused.value.meaning
    assert "publish the flow again" in refused.value.todo


async def test_without_an_address_there_is_nothing_to_register(runtime, service, publish):
    flow = await rung(runtime, service)
    runtime.address[0] = None

    with pytest.raises(Conflict, match="can't be registered"):
        await publish(flow.id)

    assert (await runtime.backend.get_flow(flow.id)).active is False


async def test_a_second_try_goes_with_what_was_edited_after_the_first(runtime, service, publish):
    service.refused_events.add("door")
    flow = await rung(runtime, service)
    with pytest.raises(ThirdPartyError):
        await publish(flow.id)
    await listening_for(runtime, flow, "window")

    await publish(flow.id)

    assert [hook["event"] for hook in service.hooks.values()] == ["window"]


async def test_publishing_twice_at_once_registers_once(runtime, service, publish):
    flow = await rung(runtime, service)

    first, second = await asyncio.gather(publish(flow.id), publish(flow.id))

    assert (first.published_version, second.published_version) == (1, 1)
    assert list(service.hooks) == ["hook-1"]


async def test_what_is_deleted_while_it_is_published_is_not_registered_in_the_end(runtime, service, publish):
    flow = await rung(runtime, service)

    await asyncio.gather(publish(flow.id), runtime.backend.delete_flow(flow.id))

    assert service.hooks == {}
