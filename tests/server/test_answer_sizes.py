"""Answers stay of a size that the service can make and clients can read, whatever flows and runs hold."""

import asyncio

import pytest
from tests.support.desk import TOOLS
from tests.support.forms import long_form
from tests.support.workspace import CATCH, PASS

from patchbay.client import responses
from patchbay.client.errors import ResponseTooLarge
from patchbay.client.remote import RemoteBackend
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import MAX_FLOW_SIZE, FlowExport, FlowFilter, StepChange
from patchbay.domain.paging import PageRequest

FAT = StepChange(app_key=TOOLS, key="pass", parameters={"text": "x" * 600_000})
EVERY = PageRequest(limit=200)


@pytest.fixture
async def fat_flow(runtime):
    flow = await runtime.skipped(await runtime.flow(CATCH, FAT, FAT, FAT, name="Fat"))
    return await runtime.backend.publish_flow(flow.id)


@pytest.fixture
async def remote(service):
    backend = RemoteBackend(service.base_url, service.key)
    yield backend
    await backend.close()


async def _ran(runtime, flow, times: int) -> str:
    runs = [await runtime.backend.run_flow(flow.id, {"number": number}) for number in range(times)]
    for run in runs:
        while not (await runtime.backend.get_execution(run)).state.finished:  # noqa: ASYNC110
            await asyncio.sleep(0)
    return runs[-1]


@long_form
async def test_lists_are_small_and_single_flows_and_templates_whole(runtime, caller, fat_flow):
    await _ran(runtime, fat_flow, 5)
    template = await runtime.backend.create_template("Fat", fat_flow.id)
    for _ in range(5):
        await runtime.backend.duplicate_flow(fat_flow.id)

    for path in ("executions?limit=200", "flows?limit=200", "templates"):
        answer = await caller.get(f"/v1/{path}")
        assert len(answer.content) < 50_000, path
    [*_, listed] = (await caller.get("/v1/executions")).json()["data"]
    flow = (await caller.get(f"/v1/flows/{fat_flow.id}")).json()["data"]
    whole = (await caller.get(f"/v1/templates/{template.id}")).json()["data"]["flowData"]

    assert listed["flow"]["steps"][1]["parameters"] == {"text": "x" * 200 + "…"}
    for shown in (flow, whole):
        assert [step["parameters"] for step in shown["steps"][1:]] == [FAT.parameters] * 3


@long_form
async def test_data_of_steps_is_cut_when_all_of_it_is_too_much(runtime, caller):
    steps = [StepChange(app_key=TOOLS, key="pass", parameters={"text": "{{step.trigger.body}}"})] * 3
    flow = await runtime.flow(CATCH, *steps)
    reference = StepChange(parameters={"text": f"{{{{step.{flow.steps[0].id}.body}}}}"})
    for step in flow.steps[1:]:
        flow = await runtime.backend.update_step(step.id, reference)
    flow = await runtime.backend.publish_flow((await runtime.skipped(flow)).id)
    run = await runtime.backend.run_flow(flow.id, {"body": "x" * 3_000_000})
    while not (await runtime.backend.get_execution(run)).state.finished:  # noqa: ASYNC110
        await asyncio.sleep(0)

    for path in (f"executions/{run}/execution-steps", f"flows/{flow.id}/samples"):
        answer = await caller.get(f"/v1/{path}")
        assert len(answer.content) < 6_000_000, path
        assert {step["shortened"] for step in answer.json()["data"]} == {True}


@long_form
async def test_a_client_reads_all_lists_of_a_user_with_large_flows(runtime, remote, fat_flow, monkeypatch):
    """Without the limits, these lists had more than what a client reads of one answer."""
    monkeypatch.setattr(responses, "MAX_RESPONSE_BYTES", 1_900_000)
    await _ran(runtime, fat_flow, 3)
    await runtime.backend.create_template("Fat", fat_flow.id)
    for _ in range(3):
        await runtime.backend.duplicate_flow(fat_flow.id)

    assert len(await remote.list_templates()) == 1
    assert len((await remote.list_flows(FlowFilter(), EVERY)).items) == 4
    assert len((await remote.list_executions(ExecutionFilter(), EVERY)).items) == 3
    assert (await remote.get_flow(fat_flow.id)).steps[1].parameters == FAT.parameters


async def test_a_page_that_is_too_large_is_read_in_smaller_ones(runtime, remote, monkeypatch):
    flows = [await runtime.flow(CATCH, PASS, name=f"Flow {number}") for number in range(45)]
    monkeypatch.setattr(responses, "MAX_RESPONSE_BYTES", 12_000)

    first = await remote.list_flows(FlowFilter(), PageRequest(limit=40))
    second = await remote.list_flows(FlowFilter(), PageRequest(page=2, limit=40))
    behind = await remote.list_flows(FlowFilter(), PageRequest(limit=40, cursor=first.next_cursor))

    newest_first = [flow.id for flow in reversed(flows)]
    assert [flow.id for flow in (*first.items, *second.items)] == newest_first
    assert (first.total, first.page, first.limit, second.page) == (45, 1, 40, 2)
    assert (behind.items, second.next_cursor) == (second.items, None)


async def test_a_single_row_that_is_too_large_is_refused(remote, webhook_flow, monkeypatch):
    await remote.open()
    monkeypatch.setattr(responses, "MAX_RESPONSE_BYTES", 1_000)

    with pytest.raises(ResponseTooLarge):
        await remote.list_flows(FlowFilter(), EVERY)


async def test_a_flow_holds_so_many_parameters_and_no_more(runtime):
    flow = await runtime.flow(CATCH, FAT, FAT, FAT)
    third = flow.steps[3]

    with pytest.raises(ValidationFailed, match="limited to 2 MB"):
        await runtime.backend.update_step(third.id, StepChange(parameters={"text": "x" * 900_000}))
    export = await runtime.backend.export_flow(flow.id)
    larger = [step.wire() | {"parameters": {"text": "x" * 900_000}} for step in export.steps]
    with pytest.raises(ValidationFailed, match="limited to 2 MB"):
        await runtime.backend.import_flow(FlowExport.model_validate(export.wire() | {"steps": larger}))

    assert (await runtime.backend.get_flow(flow.id)).step(third.id) == third
    assert (await runtime.backend.get_flow(flow.id)).size(MAX_FLOW_SIZE) < MAX_FLOW_SIZE
