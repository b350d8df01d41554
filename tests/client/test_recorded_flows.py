"""Flows of other services: without owner and folder, and now and then without their steps."""

import pytest
from tests.support.recorded_client import Pair, recorded
from tests.support.recorded_service import PAGE, Habits

from patchbay.client.changes import ChangeFeed
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, TemplateId, UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import FlowNotReady, NotFound, NotSupported, ServerFault, ValidationFailed
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.folders import FolderStats
from patchbay.domain.paging import PageRequest

ALL = (FlowFilter(), PageRequest(limit=200))
WEB_PAGE = (200, {"content-type": "text/html"}, PAGE)


@pytest.fixture
async def pair():
    async with recorded() as opened:
        yield opened


async def test_folder_and_owner_of_every_flow_are_found_out_by_asking_with_filters(pair: Pair):
    shown = (await pair.backend.list_flows(*ALL)).items

    kept = {flow["id"]: (flow["folderId"], flow["userId"]) for flow in pair.service.state.flows}
    assert {flow.id: (flow.folder_id, flow.user_id) for flow in shown} == kept
    one = await pair.backend.get_flow(shown[0].id)
    assert one == shown[0]


async def test_that_is_asked_once_and_again_after_a_change(pair: Pair):
    await pair.backend.list_flows(*ALL)
    asked = len(pair.asked)

    await pair.backend.list_flows(*ALL)
    assert pair.asked[asked:] == ["GET /v1/flows?page=1", "GET /v1/flows?page=2"]

    folder = pair.service.state.folders[0]["id"]
    await pair.backend.delete_folder(folder)
    shown = (await pair.backend.list_flows(*ALL)).items
    assert {flow.folder_id for flow in shown}.isdisjoint({folder})


async def test_what_others_move_is_seen_when_a_look_finds_a_change(pair: Pair):
    backend = pair.backend
    first = (await backend.list_flows(*ALL)).items[-1]
    follower = ChangeFeed(backend._adapter, poll=0.005, on_list_changed=backend._flow_ownership.invalidate)
    changes = follower.subscribe()
    moved = next(flow for flow in pair.service.state.flows if flow["id"] == first.id)
    moved["folderId"] = pair.service.state.folders[2]["id"]
    renamed = pair.service.state.flows[3]

    def look(method: str, path: str) -> None:
        renamed["name"] += "!"

    pair.service.instead = look
    while (await anext(changes)).noun is not ResourceType.FLOW:
        pass

    assert (await backend.get_flow(first.id)).folder_id == moved["folderId"]
    await follower.close()


async def test_a_service_that_ignores_the_filters_puts_no_flow_into_a_wrong_folder(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
):
    listed = pair.service.state.listed_flows
    monkeypatch.setattr(pair.service.state, "listed_flows", lambda asked: listed({}))

    shown = (await pair.backend.list_flows(*ALL)).items

    assert len(shown) == 13
    assert {(flow.folder_id, flow.user_id) for flow in shown} == {(None, None)}


async def test_flows_are_shown_when_their_places_cannot_be_found_out(pair: Pair):
    pair.service.instead = lambda method, path: (403, {}, b"") if "/users" in path else None

    assert len((await pair.backend.list_flows(*ALL)).items) == 13


async def test_folders_are_counted_by_asking(pair: Pair):
    warehouse, invoices, old = (row["id"] for row in pair.service.state.folders)

    assert {stats.folder_id: stats for stats in await pair.backend.folder_stats()} == {
        warehouse: FolderStats(folder_id=warehouse, flows=3, published=1),
        invoices: FolderStats(folder_id=invoices, flows=2, published=1),
        old: FolderStats(folder_id=old, flows=1),
        None: FolderStats(folder_id=None, flows=7, published=2),
    }
    assert await pair.backend.flow_activity([FlowId("x")]) == ()


async def test_a_new_flow_is_read_again_for_its_steps_and_belongs_to_the_first_person(pair: Pair):
    made = await pair.backend.create_flow()

    assert (made.name, len(made.steps)) == ("Name your flow", 2)
    assert made.user_id == pair.service.state.users[0]["id"]
    assert pair.service.bodies[pair.service.asked.index("POST /api/v1/flows")] == (
        b'{"userId":"%b"}' % made.user_id.encode()
    )


async def test_what_a_new_flow_cannot_be_given_is_refused_instead_of_lost(pair: Pair):
    for wishes in ({"name": "Orders"}, {"folder_id": pair.service.state.folders[0]["id"]}):
        with pytest.raises(NotSupported) as refused:
            await pair.backend.create_flow(**wishes)
        assert refused.value.feature == Feature.EDIT_FLOWS
    with pytest.raises(NotFound):
        await pair.backend.create_flow(user_id=UserId("00000000-0000-4000-8000-000000000000"))
    assert len(pair.service.state.flows) == 13


async def test_publishing_what_is_published_reads_the_steps_again(pair: Pair):
    flow = pair.service.state.flows[0]["id"]

    again = await pair.backend.publish_flow(flow)
    draft = await pair.backend.unpublish_flow(flow)
    live = await pair.backend.publish_flow(flow)

    assert [item.status for item in (again, draft, live)] == [
        FlowStatus.PUBLISHED,
        FlowStatus.DRAFT,
        FlowStatus.PUBLISHED,
    ]
    assert [len(item.steps) for item in (again, draft, live)] == [2, 2, 2]
    assert again.folder_id == live.folder_id == pair.service.state.folders[0]["id"]
    assert pair.asked[:2] == [f"PATCH /v1/flows/{flow}/status", f"GET /v1/flows/{flow}"]
    assert pair.service.times(f"GET /api/v1/flows/{flow}") == 1


async def test_a_flow_that_is_not_ready_says_so_in_the_words_of_the_service(pair: Pair):
    with pytest.raises(FlowNotReady) as refused:
        await pair.backend.publish_flow(pair.service.state.flows[6]["id"])

    assert refused.value.blockers[0].reason == "Complete all steps before publishing."
    with pytest.raises(NotFound):
        await pair.backend.publish_flow(FlowId("not-an-id"))


async def test_a_deleted_flow_is_gone_and_its_executions_stay(pair: Pair):
    flow = pair.service.state.flows[1]

    assert (await pair.backend.delete_flow(flow["id"])).ids == (flow["id"],)

    with pytest.raises(NotFound):
        await pair.backend.get_flow(flow["id"])
    run = next(row for row in pair.service.state.executions if row["flowId"] == flow["id"])
    assert (await pair.backend.get_execution(run["id"])).flow.name == flow["name"]


async def test_templates_become_flows_and_flows_templates(pair: Pair):
    feed, parcels = await pair.backend.list_templates()
    made = await pair.backend.use_template(parcels.id, pair.service.state.users[2]["id"])

    assert (made.name, [step.app_key for step in made.steps]) == (
        "Catch parcels",
        ["webhook", "google-sheets"],
    )
    assert made.user_id == pair.service.state.users[2]["id"]
    new = await pair.backend.create_template("Parcels", made.id)
    assert [item.id for item in await pair.backend.list_templates()] == [feed.id, parcels.id, new.id]
    assert (await pair.backend.delete_template(feed.id)).ids == (feed.id,)
    for gone in (feed.id, TemplateId("not-an-id")):
        with pytest.raises(NotFound):
            await pair.backend.delete_template(gone)
    with pytest.raises(NotFound):
        await pair.backend.use_template(feed.id)


async def test_a_service_without_templates_says_so_and_that_stays_known():
    async with recorded(Habits(templates=False)) as pair:
        assert pair.backend.capabilities.reason(Feature.TEMPLATES) is None

        for call in (pair.backend.list_templates(), pair.backend.create_template("X", FlowId("x"))):
            with pytest.raises(NotSupported, match="turned off") as refused:
                await call
            assert refused.value.feature == Feature.TEMPLATES

        assert "turned off" in (pair.backend.capabilities.reason(Feature.TEMPLATES) or "")


async def test_names_are_checked_before_the_service_fails_over_them(pair: Pair):
    flow, folder = pair.service.state.flows[0]["id"], pair.service.state.folders[0]["id"]
    for name in (" ", "x" * 256):
        for call in (
            pair.backend.create_template(name, flow),
            pair.backend.create_folder(name),
            pair.backend.rename_folder(folder, name),
        ):
            with pytest.raises(ValidationFailed) as refused:
                await call
            assert list(refused.value.fields()) == ["name"]
    assert pair.asked == []


async def test_a_failure_with_a_stack_trace_is_reported_without_it():
    async with recorded(Habits(stack_traces=True)) as pair:
        with pytest.raises(ServerFault) as failed:
            await pair.backend._adapter.send("POST", "/v1/flows", {})

        assert "JSON.parse" not in failed.value.text()
        assert "500" in failed.value.text()


async def test_a_flow_that_others_made_is_found_its_place_at_once(pair: Pair):
    await pair.backend.list_flows(*ALL)
    state = pair.service.state
    new = state.new_flow({"userId": state.users[2]["id"]})
    new["folderId"] = state.folders[1]["id"]

    shown = (await pair.backend.list_flows(*ALL)).items

    flow = next(flow for flow in shown if flow.id == new["id"])
    assert (flow.folder_id, flow.user_id) == (new["folderId"], new["userId"])


async def test_a_flow_in_no_list_is_not_looked_for_each_time(pair: Pair):
    await pair.backend.delete_user(pair.service.state.users[2]["id"])
    await pair.backend.list_flows(*ALL)
    await pair.backend.list_flows(*ALL)
    pair.service.asked.clear()

    await pair.backend.list_flows(*ALL)

    assert pair.asked == ["GET /v1/flows?page=1", "GET /v1/flows?page=2"]


async def test_what_was_requested_is_believed_of_what_is_found(pair: Pair):
    await pair.backend.list_flows(*ALL)
    moved = pair.service.state.flows[5]
    folder = pair.service.state.folders[2]["id"]
    moved["folderId"] = folder

    found = await pair.backend.list_flows(FlowFilter(folder_id=folder), PageRequest())

    assert {flow.id for flow in found.items} >= {moved["id"]}
    assert {flow.folder_id for flow in found.items} == {folder}


@pytest.mark.parametrize("answer", [(404, {}, b""), WEB_PAGE])
async def test_an_old_service_that_knows_no_templates_says_so(pair: Pair, answer):
    pair.service.instead = lambda method, path: answer if "/templates" in path else None

    with pytest.raises(NotSupported, match="too old"):
        await pair.backend.list_templates()


@pytest.mark.parametrize(
    "answer", [(403, {}, b""), (404, {}, b""), (200, {"content-type": "text/html"}, PAGE)]
)
async def test_a_service_without_folders_shows_its_flows_in_none(pair: Pair, answer):
    pair.service.instead = lambda method, path: answer if path.endswith("/folders") else None

    assert await pair.backend.list_folders() == ()
    shown = (await pair.backend.list_flows(*ALL)).items
    assert (len(shown), {flow.folder_id for flow in shown}) == (13, {None})
