import pytest
from tests.support.desk import DESK, TOOLS
from tests.support.workspace import CATCH, PASS

from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.flows import DEFAULT_FLOW_NAME, FlowFilter, FlowStatus, StepChange, StepType
from patchbay.domain.paging import PageRequest


async def test_new_flow_has_an_empty_trigger_and_an_empty_action(backend):
    flow = await backend.create_flow()

    assert flow.name == DEFAULT_FLOW_NAME
    assert [(step.type, step.position) for step in flow.steps] == [
        (StepType.TRIGGER, 1),
        (StepType.ACTION, 2),
    ]
    assert flow.status is FlowStatus.DRAFT
    assert flow.user_id == (await backend.list_users())[0].id


@pytest.mark.parametrize("name", ["", "   ", "x" * 256])
async def test_a_flow_needs_a_name_of_1_to_255_characters(backend, name):
    with pytest.raises(ValidationFailed) as refused:
        await backend.create_flow(name)

    assert "name" in refused.value.by_field


async def test_names_lose_their_outer_spaces(backend):
    assert (await backend.create_flow("  Orders ")).name == "Orders"


async def test_flows_are_listed_published_first_then_last_updated_first(runtime, backend):
    live = await runtime.skipped(await runtime.flow(CATCH, PASS, name="Live"))
    await backend.publish_flow(live.id)
    await backend.create_flow("Older")
    await backend.create_flow("Newer")

    page = await backend.list_flows(FlowFilter(), PageRequest())

    assert [flow.name for flow in page.items] == ["Live", "Newer", "Older"]


async def test_a_list_of_flows_reads_only_the_apps_of_webhooks_in_full(runtime, backend, monkeypatch):
    """Reading an app in full imports its definition, and a list of flows is the first that a window shows."""
    await runtime.flow(CATCH, StepChange(app_key=DESK))
    await runtime.flow(StepChange(app_key=DESK), PASS)
    read: list[str] = []
    info = runtime.apps.info

    def record(key, detail=True):
        if detail:
            read.append(key)
        return info(key, detail)

    monkeypatch.setattr(runtime.apps, "info", record)

    page = await backend.list_flows(FlowFilter(), PageRequest())

    assert read == [TOOLS]
    assert sorted(bool(flow.trigger.webhook_url) for flow in page.items) == [False, True]
    assert all(step.icon_url for flow in page.items for step in flow.steps)


async def test_pages_by_number_and_by_cursor_show_the_same_flows(backend):
    for number in range(5):
        await backend.create_flow(f"Flow {number}")

    first = await backend.list_flows(FlowFilter(), PageRequest(limit=2))
    by_cursor = await backend.list_flows(FlowFilter(), PageRequest(limit=2, cursor=first.next_cursor))
    by_number = await backend.list_flows(FlowFilter(), PageRequest(limit=2, page=2))
    last = await backend.list_flows(FlowFilter(), PageRequest(limit=2, page=3))

    assert (first.total, first.total_pages) == (5, 3)
    assert [flow.name for flow in by_cursor.items] == ["Flow 2", "Flow 1"]
    assert by_number.items == by_cursor.items
    assert last.next_cursor is None


async def test_a_foreign_cursor_is_refused(backend):
    with pytest.raises(ValidationFailed):
        await backend.list_flows(FlowFilter(), PageRequest(cursor="no such place"))


async def test_filters_by_name_status_folder_and_app(runtime, backend):
    folder = await backend.create_folder("Shop")
    orders = await backend.create_flow("Orders 100%", folder.id)
    other = await runtime.flow(CATCH, PASS, name="Other")

    async def names(**where):
        page = await backend.list_flows(FlowFilter(**where), PageRequest())
        return {flow.name for flow in page.items}

    assert await names(name="0%") == {orders.name}
    assert await names(name="ORDERS") == {orders.name}
    assert await names(folder_id=folder.id) == {orders.name}
    assert await names(folder_id="null") == {other.name}
    assert await names(app_key="tools") == {other.name}
    assert await names(status=FlowStatus.PUBLISHED) == set()
    assert await names(user_id="nobody") == set()


async def test_only_the_offered_intervals_are_accepted(backend):
    flow = await backend.create_flow()

    with pytest.raises(ValidationFailed) as refused:
        await backend.update_flow(flow.id, execution_interval=7)

    assert "executionInterval" in refused.value.by_field
    assert (await backend.update_flow(flow.id, execution_interval=5)).execution_interval == 5


async def test_deleted_flow_is_gone_and_comes_back_as_a_draft(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))
    await backend.publish_flow(flow.id)

    change = await backend.delete_flow(flow.id)
    with pytest.raises(NotFound):
        await backend.get_flow(flow.id)
    restored = await backend.restore_flow(flow.id)

    assert (change.action, change.ids) == ("deleted", (flow.id,))
    assert restored.active is False
    assert [step.id for step in restored.steps] == [step.id for step in flow.steps]


async def test_deleting_twice_says_it_is_not_there(backend):
    flow = await backend.create_flow()
    await backend.delete_flow(flow.id)

    with pytest.raises(NotFound):
        await backend.delete_flow(flow.id)


async def test_webhook_address_follows_the_listener_and_the_synchronous_choice(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    asynchronous = flow.steps[0].webhook_url
    synchronous = await backend.update_step(
        flow.steps[0].id, StepChange(parameters={"workSynchronously": True})
    )
    runtime.address[0] = None
    silent = await backend.get_flow(flow.id)

    assert asynchronous == f"http://127.0.0.1:8787/webhooks/flows/{flow.id}"
    assert synchronous.steps[0].webhook_url == asynchronous + "/sync"
    assert silent.steps[0].webhook_url is None
    assert flow.steps[1].webhook_url is None
    assert flow.steps[0].icon_url == "http://here/apps/tools/assets/icon.svg"


async def test_running_a_flow_that_is_gone_says_so(backend):
    with pytest.raises(NotFound):
        await backend.run_flow("no-such-flow")
