"""Webhooks that a third party keeps for us: there while the flow is live, and not otherwise."""

import asyncio

import pytest
from tests.support.bell import BellService, bell
from tests.support.workspace import CATCH, PASS, open_house

from patchbay.domain.errors import Conflict, ServerFault, StorageFault, ThirdPartyError
from patchbay.domain.flows import StepChange
from patchbay.storage.repositories import versions


@pytest.fixture
def service():
    running = BellService()
    yield running
    running.close()


@pytest.fixture
async def house(tmp_path, service):
    opened = await open_house(tmp_path, service, more_apps=[bell])
    yield opened
    await opened.close()


@pytest.fixture
def publish(house):
    return house.backend.publish_flow


async def rung(house, service, event="door"):
    """A flow that is ready to be published and starts when Bell rings."""
    values = {"screenName": "Ada", "apiKey": service.good_key}
    connection = await house.backend.add_connection("bell", values)
    change = StepChange(app_key="bell", key="rung", connection_id=connection.id, parameters={"event": event})
    return await house.skipped(await house.flow(change, PASS))


async def listening_for(house, flow, event):
    """The flow with another event, ready to be published again."""
    change = StepChange(parameters={"event": event})
    return await house.skipped(await house.backend.update_step(flow.steps[0].id, change))


async def remote_id(house, flow):
    state = await house.db.read(lambda tx: versions.get_trigger_state(tx, flow.id))
    return state and state.cursor.get("remoteWebhookId")


async def test_publishing_tells_the_service_where_to_call(house, service, publish):
    flow = await publish((await rung(house, service)).id)

    assert service.hooks["hook-1"]["url"] == f"http://127.0.0.1:8787/webhooks/flows/{flow.id}"
    assert (await remote_id(house, flow), flow.active) == ("hook-1", True)


async def test_unpublishing_and_deleting_take_it_back(house, service, publish):
    flow = await publish((await rung(house, service)).id)

    await house.backend.unpublish_flow(flow.id)
    assert service.hooks == {}

    await publish(flow.id)
    assert list(service.hooks) == ["hook-2"]
    await house.backend.delete_flow(flow.id)
    assert service.hooks == {}


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_service_that_cannot_forget_it_holds_nothing_up(house, service, publish, caplog, deleted):
    flow = await publish((await rung(house, service)).id)
    service.refuses_removal = True

    await (house.backend.delete_flow if deleted else house.backend.unpublish_flow)(flow.id)

    assert "Bell still calls the flow “A flow”" in caplog.text
    assert await remote_id(house, flow) is None


async def test_a_flow_that_cannot_be_registered_stays_a_draft_and_says_why(house, service, publish):
    service.refused_events.add("door")
    flow = await rung(house, service)

    with pytest.raises(ThirdPartyError, match="No such event: door"):
        await publish(flow.id)

    assert (await house.backend.get_flow(flow.id)).active is False
    assert (await remote_id(house, flow), service.hooks) == (None, {})


@pytest.mark.parametrize(("event", "kind"), [("half", ThirdPartyError), ("bug", ServerFault)])
async def test_what_was_half_registered_is_taken_back(house, service, publish, event, kind):
    flow = await rung(house, service, event)

    with pytest.raises(kind):
        await publish(flow.id)

    assert service.hooks == {}


async def test_nothing_is_registered_before_everything_was_checked(house, service, publish):
    flow = await rung(house, service)
    await house.backend.add_step(flow.id)

    with pytest.raises(Exception, match="missing"):
        await publish(flow.id)

    assert service.calls == ["GET /me"]


async def test_a_flow_that_cannot_be_stored_is_not_registered_either(house, service, publish, monkeypatch):
    flow = await rung(house, service)

    def refuse(*args):
        raise StorageFault("The disk is full.")

    monkeypatch.setattr(house.backend, "_freeze", refuse)
    with pytest.raises(StorageFault):
        await publish(flow.id)

    assert "POST /webhooks" in service.calls
    assert service.hooks == {}


async def test_another_event_is_registered_in_place_of_the_old_one(house, service, publish):
    flow = await publish((await rung(house, service)).id)
    await listening_for(house, flow, "window")

    await publish(flow.id)

    assert {key: hook["event"] for key, hook in service.hooks.items()} == {"hook-2": "window"}
    assert await remote_id(house, flow) == "hook-2"


async def test_an_edit_of_an_action_leaves_the_registration_alone(house, service, publish):
    flow = await publish((await rung(house, service)).id)
    await house.backend.update_step(flow.steps[1].id, StepChange(parameters={"text": "x"}))
    await house.backend.skip_step_test(flow.steps[1].id)

    await publish(flow.id)

    assert list(service.hooks) == ["hook-1"]
    assert await remote_id(house, flow) == "hook-1"


async def test_another_app_takes_the_registration_back(house, service, publish):
    flow = await publish((await rung(house, service)).id)
    await house.skipped(await house.backend.update_step(flow.steps[0].id, CATCH))

    await publish(flow.id)

    assert service.hooks == {}


async def test_when_the_new_event_is_refused_the_old_one_goes_on(house, service, publish):
    flow = await publish((await rung(house, service)).id)
    await listening_for(house, flow, "chimney")
    service.refused_events.add("chimney")

    with pytest.raises(ThirdPartyError, match="chimney"):
        await publish(flow.id)

    assert [hook["event"] for hook in service.hooks.values()] == ["door"]
    assert await remote_id(house, flow) == "hook-2"
    assert (await house.backend.get_flow(flow.id)).published_version == 1


async def test_when_nothing_can_be_put_back_the_person_is_told(house, service, publish):
    flow = await publish((await rung(house, service)).id)
    await listening_for(house, flow, "chimney")
    service.refused_events |= {"door", "chimney"}

    with pytest.raises(ThirdPartyError) as refused:
        await publish(flow.id)

    assert "not called now" in refused.value.meaning
    assert "publish the flow again" in refused.value.todo


async def test_without_an_address_there_is_nothing_to_register(house, service, publish):
    flow = await rung(house, service)
    house.address[0] = None

    with pytest.raises(Conflict, match="where to call"):
        await publish(flow.id)

    assert (await house.backend.get_flow(flow.id)).active is False


async def test_a_second_try_goes_with_what_was_edited_after_the_first(house, service, publish):
    service.refused_events.add("door")
    flow = await rung(house, service)
    with pytest.raises(ThirdPartyError):
        await publish(flow.id)
    await listening_for(house, flow, "window")

    await publish(flow.id)

    assert [hook["event"] for hook in service.hooks.values()] == ["window"]


async def test_publishing_twice_at_once_registers_once(house, service, publish):
    flow = await rung(house, service)

    first, second = await asyncio.gather(publish(flow.id), publish(flow.id))

    assert (first.published_version, second.published_version) == (1, 1)
    assert list(service.hooks) == ["hook-1"]


async def test_what_is_deleted_while_it_is_published_is_not_registered_in_the_end(house, service, publish):
    flow = await rung(house, service)

    await asyncio.gather(publish(flow.id), house.backend.delete_flow(flow.id))

    assert service.hooks == {}
