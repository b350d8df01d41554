"""Services of the interface that are not ours: what works, and how the rest is declined."""

import asyncio

import pytest
from tests.support.foreign_service import KEY, USERS, ForeignService, execution

from patchbay.client.changes import ChangeFollower
from patchbay.client.peer import Peer
from patchbay.client.remote import RemoteBackend
from patchbay.client.service import Service
from patchbay.domain.backend import Feature
from patchbay.domain.changes import Noun
from patchbay.domain.engine import EngineSettings, EngineState
from patchbay.domain.errors import AuthRequired, FlowNotReady, NotFound, NotSupported, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest

ADDRESS = "http://flows.example.org/api"


@pytest.fixture
def service():
    return ForeignService()


@pytest.fixture
async def backend(service):
    remote = RemoteBackend(ADDRESS, KEY, transport=service.transport)
    yield remote
    await remote.close()


async def test_what_it_cannot_do_is_known_with_reasons_once_it_was_opened(backend):
    await backend.open()

    assert all(backend.capabilities.reason(feature) for feature in Feature)
    info = await backend.info()
    assert (info.kind, info.name, info.address) == ("remote", "flows.example.org", ADDRESS)
    assert (await backend.health()).state is EngineState.RUNNING


async def test_it_is_asked_only_once_what_it_is(backend, service):
    await asyncio.gather(backend.open(), backend.open(), backend.list_flows(FlowFilter(), PageRequest()))

    assert service.sent().count("GET /api/v1/info") == 1


async def test_a_wrong_key_is_told_at_once(service):
    remote = RemoteBackend(ADDRESS, "wrong", transport=service.transport)

    with pytest.raises(AuthRequired):
        await remote.open()

    await remote.close()


@pytest.mark.parametrize(
    ("page", "numbers", "cursor"),
    [
        (PageRequest(), range(10), "10"),
        (PageRequest(page=3), range(20, 23), None),
        (PageRequest(limit=25), range(23), None),
        (PageRequest(limit=15), range(15), "15"),
        (PageRequest(limit=15, page=2), range(15, 23), None),
        (PageRequest(limit=5, cursor="8"), range(8, 13), "13"),
        (PageRequest(page=99), range(0), None),
    ],
)
async def test_pages_of_any_size_are_put_together_from_pages_of_ten(backend, page, numbers, cursor):
    found = await backend.list_flows(FlowFilter(), page)

    assert [flow.name for flow in found.items] == [f"Flow {number}" for number in numbers]
    assert (found.total, found.next_cursor, found.limit) == (23, cursor, page.limit)


async def test_a_cursor_of_another_list_is_refused(backend):
    with pytest.raises(ValidationFailed):
        await backend.list_flows(FlowFilter(), PageRequest(cursor="eyJ"))


async def test_executions_have_a_state_and_times(backend):
    runs = (await backend.list_executions(ExecutionFilter(), PageRequest(limit=3))).items
    one = await backend.get_execution(execution(1)["id"])

    assert [run.state for run in runs] == [
        ExecutionState.SUCCESS,
        ExecutionState.FAILURE,
        ExecutionState.RUNNING,
    ]
    assert (one.state, one.started_at, one.finished_at, one.flow.name) == (
        ExecutionState.FAILURE,
        1001,
        2001,
        "Flow 1",
    )
    assert runs[2].finished_at is None


async def test_only_conditions_that_it_knows_are_sent(backend, service):
    states = (ExecutionState.FAILURE,)
    await backend.list_executions(ExecutionFilter(name="x", states=states, started_after=5), PageRequest())

    assert dict(service.requests[-1].url.params) == {
        "name": "x",
        "status": "failure",
        "startDateTime": "5",
        "page": "1",
    }
    for unknown in (
        {"flow_id": "x"},
        {"test_run": False},
        {"states": (ExecutionState.QUEUED,)},
        {"note": "x"},
        {"origin_id": "x"},
    ):
        with pytest.raises(NotSupported):
            await backend.list_executions(ExecutionFilter(**unknown), PageRequest())


async def test_new_flows_belong_to_its_first_user(backend):
    made = await backend.create_flow()

    assert made.name == USERS[1]["id"]


async def test_folders_of_all_users_are_listed_and_deleted_under_their_owner(backend, service):
    folders = await backend.list_folders()
    gone = await backend.delete_folder("f-Bob")

    assert [(folder.name, folder.user_id) for folder in folders] == [
        ("Ada's", USERS[0]["id"]),
        ("Bob's", USERS[1]["id"]),
    ]
    assert gone.ids == ("f-Bob",)
    assert service.sent()[-1] == f"DELETE /api/v1/users/{USERS[1]['id']}/folders/f-Bob"
    with pytest.raises(NotFound):
        await backend.delete_folder("f-nobody")


async def test_a_flow_that_is_not_ready_says_so_in_its_words(backend):
    with pytest.raises(FlowNotReady) as refused:
        await backend.publish_flow("x")

    assert refused.value.blockers[0].reason == "All steps must be complete."


async def test_what_it_cannot_do_is_declined_without_asking_it(backend, service):
    await backend.open()
    asked = len(service.requests)
    declined = [
        backend.list_connections(), backend.add_connection("x", {}), backend.run_flow("x"),
        backend.add_step("x"), backend.execution_steps("x"), backend.duplicate_flow("x"),
        backend.histogram(ExecutionFilter(), 0, 1, 1), backend.export_flow("x"),
        backend.step_samples("x"), backend.dynamic_options("x", "y", {}),
        backend.cancel_execution("x"), backend.retry_execution("x"), backend.replay_execution("x"),
        backend.retry_executions(ExecutionFilter()), backend.bulk_retry("x"), backend.cancel_bulk_retry("x"),
        backend.pause_runs(), backend.resume_runs(), backend.engine_settings(),
        backend.change_engine_settings(EngineSettings()), backend.storage_use(), backend.tidy_history(),
        backend.limit_connection("x", None),
    ]  # fmt: skip

    for call in declined:
        with pytest.raises(NotSupported) as refused:
            await call
        assert refused.value.feature
        assert refused.value.happened == backend.capabilities.reason(Feature(refused.value.feature))

    assert await backend.flow_activity(["x"]) == ()
    assert await backend.folder_stats() == ()
    assert len(service.requests) == asked


async def test_changes_are_found_by_looking_every_few_seconds(service):
    peer = Peer(Service(ADDRESS, KEY, transport=service.transport))
    follower = ChangeFollower(peer, poll=0.005)
    changes = follower.follow()
    first = asyncio.ensure_future(anext(changes))
    while service.sent().count("GET /api/v1/executions") < 2:  # noqa: ASYNC110
        await asyncio.sleep(0)

    service.executions.insert(0, execution(77))

    assert (await first).noun is Noun.EXECUTION
    await follower.close()
    assert [change async for change in changes] == []
    await peer.service.close()


async def test_an_address_without_the_interface_is_told_apart(service):
    remote = RemoteBackend("http://flows.example.org", KEY, transport=service.transport)

    with pytest.raises(NotFound):
        await remote.open()

    await remote.close()
