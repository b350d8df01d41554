"""The key of a person who is no admin opens what is theirs, and nothing of anybody else."""

import asyncio
import inspect
from typing import Any

import pytest
from tests.support import patient
from tests.support.contract_workspaces import Served
from tests.support.desk import DESK
from tests.support.holdings import furnish, not_there, refusal_of, tries
from tests.support.patience import PATIENCE

from patchbay.client.remote import RemoteBackend
from patchbay.domain.access import AccessGrant, ApiKey, Audience, Scope
from patchbay.domain.backend import OPERATION_RULES, Backend, Capabilities, Feature
from patchbay.domain.base import ConnectionId, UserId
from patchbay.domain.connections import Connection
from patchbay.domain.errors import Forbidden, NotFound
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import FlowFilter, StepChange
from patchbay.domain.forwarding_backend import ForwardingBackend
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import EDITOR, VIEWER, User
from patchbay.server.authorization import (
    UNKNOWN_ID,
    AuthorizedBackend,
    require_owned_overrides,
)
from patchbay.storage.repositories import connections, secrets

FIRST = PageRequest()
EVERYTHING = ExecutionFilter()


@pytest.fixture
async def eve(runtime):
    return await runtime.backend.create_user("Eve", "eve@example.org", EDITOR.id)


@pytest.fixture
async def hers(runtime, eve):
    return await furnish(runtime, eve, "Her")


@pytest.fixture
async def others(runtime):
    (owner,) = [user for user in await runtime.backend.list_users() if user.full_name == "Owner"]
    return await furnish(runtime, owner, "Other")


@pytest.fixture
async def open_as(service: Served):
    """Workspaces over HTTP, each with a fresh key of a person."""
    opened: list[RemoteBackend] = []

    async def open_one(person: User, scope: Scope = Scope.ADMIN) -> RemoteBackend:
        made = await service.runtime.backend.create_api_key("Hers", scope, person.id)
        opened.append(RemoteBackend(service.base_url, made.value))
        return opened[-1]

    yield open_one
    for remote in opened:
        await remote.close()


@pytest.fixture
async def mine(open_as, eve, hers, others):
    """The workspace as Eve sees it; `hers` and `others` are there."""
    return await open_as(eve)


def _operations() -> dict[str, inspect.Signature]:
    members = inspect.getmembers(Backend, inspect.isfunction)
    return {name: inspect.signature(member) for name, member in members if name[0] != "_"}


def _bounded(bound: Audience) -> set[str]:
    return {name for name, rule in OPERATION_RULES.items() if rule.audience is bound}


def test_the_owned_operations_and_no_others_are_overridden():
    own = {name for name in vars(AuthorizedBackend) if name[0] != "_"} - {"capabilities"}

    assert set(OPERATION_RULES) == set(_operations())
    assert own == _bounded(Audience.OWNED)


def test_the_program_does_not_start_with_an_owned_operation_that_is_only_forwarded():
    class Incomplete(ForwardingBackend):
        """Forwards everything with unchecked IDs."""

    with pytest.raises(TypeError, match="get_flow"):
        require_owned_overrides(Incomplete)


class Recorder:
    """A backend that records the arguments of its calls, and a store in which no user owns a resource."""

    capabilities = Capabilities()

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def find_owners(self, kind, ids):
        return {}

    def __getattr__(self, name):
        async def call(*args, **named):
            given = _operations()[name].bind(self, *args, **named)
            self.calls.append((name, dict(given.arguments)))
            raise NotFound("Recorded.")

        return call


NOT_OWNED = {
    "name",
    "page",
    "bars",
    "start",
    "end",
    "text",
    "cursor",
    "item",
    "on",
    "values",
    "settings",
    "screen_name",
    "accept_other_account",
    "limit",
    "execution_interval",
    "kind",
    "position",
    "loader",
    "parameters",
    "app_key",
    "template_id",
    "seen",
    "key",
    "export",
    "job_id",
    "sign_in_id",
    "address",
    "arguments",
}
"""Arguments that name no resource of a person, or one that only an unguessable ID reaches."""
OWN_VIEWS = {
    "changes",
    "flow_activity",
    "get_app",
    "health",
    "list_apps",
    "list_connections",
    "list_users",
    "secrets_state",
}
"""Operations that show a person their part of the result; the tests below call them."""


@pytest.mark.parametrize("name", sorted(_bounded(Audience.OWNED) - OWN_VIEWS))
async def test_no_id_of_another_user_reaches_the_workspace(name):
    values = {"where": FlowFilter if name == "list_flows" else ExecutionFilter, "change": StepChange}
    given = {
        argument: values[argument](user_id=UserId("mallory"))
        if argument == "where"
        else StepChange(connection_id=ConnectionId("foreign"))
        if argument == "change"
        else "foreign"
        for argument in list(_operations()[name].parameters)[1:]
    }
    recorder = Recorder()
    key = ApiKey(id="k", name="Hers", hint="", created_at=0, user_id=UserId("eve"))
    backend = AuthorizedBackend(
        recorder, recorder, AccessGrant(key=key, scope=Scope.ADMIN, person=UserId("eve"))
    )

    with pytest.raises(NotFound):
        await getattr(backend, name)(**given)

    (called, passed) = recorder.calls[-1]
    owned = {argument: value for argument, value in passed.items() if argument not in NOT_OWNED | {"self"}}
    assert called == name
    for argument, value in owned.items():
        seen = {"where": "user_id", "change": "connection_id"}.get(argument)
        assert (getattr(value, seen) if seen else value) == UNKNOWN_ID, argument


async def test_lists_and_figures_hold_what_is_hers(mine, hers, others, eve):
    flows = await mine.list_flows(FlowFilter(), FIRST)
    runs = await mine.list_executions(EVERYTHING, FIRST)
    bars = await mine.histogram(EVERYTHING, 0, 10**13, 1)
    counts = await mine.count_executions(EVERYTHING)

    assert [flow.id for flow in flows.items] == [hers.flow.id]
    assert [run.id for run in runs.items] == [hers.run]
    assert (runs.total, bars.total) == (1, 1)
    assert (counts.matching, counts.all) == (1, 1)
    assert [item.id for item in await mine.list_connections()] == [hers.connection.id]
    assert [item.id for item in await mine.list_folders()] == [hers.folder.id]
    assert [user.id for user in await mine.list_users()] == [eve.id]
    assert {(item.folder_id, item.flows) for item in await mine.folder_stats()} == {
        (hers.folder.id, 1),
        (None, 0),
    }
    apps = {app.key: (app.connection_count, app.flow_count) for app in await mine.list_apps()}
    assert (apps["desk"], apps["tools"]) == ((1, 0), (0, 1))
    assert (await mine.get_app("tools")).flow_count == 1
    assert (await mine.health()).next_flow is None


async def test_asking_for_another_users_lists_finds_nothing(mine, others):
    owner = others.flow.user_id

    assert (await mine.list_flows(FlowFilter(user_id=owner), FIRST)).total == 0
    assert (await mine.list_executions(ExecutionFilter(user_id=owner), FIRST)).total == 0
    assert (await mine.list_executions(ExecutionFilter(flow_id=others.flow.id), FIRST)).total == 0
    assert (await mine.list_executions(ExecutionFilter(folder_id=others.folder.id), FIRST)).total == 0
    assert (await mine.retry_executions(ExecutionFilter(user_id=owner))).total == 0
    for activity in await mine.flow_activity([others.flow.id]):
        assert (activity.flow_id, activity.last, activity.recent) == (others.flow.id, None, ())


async def test_another_users_resources_respond_like_missing_ones(mine, hers, others, runtime):
    nobodys = not_there(others)
    before = await runtime.backend.get_flow(others.flow.id)

    for name, arguments in tries(others).items():
        foreign = await refusal_of(getattr(mine, name)(*arguments))
        missing = await refusal_of(getattr(mine, name)(*tries(nobodys)[name]))
        assert foreign == missing, name
        assert foreign["kind"] in ("NotFound", "Conflict"), name

    assert await runtime.backend.get_flow(others.flow.id) == before
    assert (await runtime.backend.get_connection(others.connection.id)).screen_name == "Other desk"
    assert await runtime.backend.list_folders(others.flow.user_id) == (others.folder,)
    assert len((await runtime.backend.list_executions(EVERYTHING, FIRST)).items) == 2


async def test_what_was_deleted_comes_back_only_to_whom_it_belonged(mine, hers, others, runtime):
    for item in (hers, others):
        await runtime.backend.delete_flow(item.flow.id)
        await runtime.backend.delete_connection(item.connection.id)

    assert (await mine.restore_flow(hers.flow.id)).id == hers.flow.id
    assert (await mine.restore_connection(hers.connection.id)).id == hers.connection.id
    with pytest.raises(NotFound):
        await mine.restore_flow(others.flow.id)
    with pytest.raises(NotFound):
        await mine.restore_connection(others.connection.id)


async def test_another_users_resources_cannot_be_used_in_ones_own(mine, hers, others):
    action = hers.flow.steps[1]
    desk = StepChange(app_key=DESK, key="create", connection_id=others.connection.id)
    with pytest.raises(NotFound):
        await mine.update_step(action.id, desk)
    with pytest.raises(NotFound):
        await mine.move_flow(hers.flow.id, others.folder.id)
    with pytest.raises(NotFound):
        await mine.create_flow("Filed", others.folder.id)
    with pytest.raises(NotFound):
        await mine.create_flow("Theirs", None, others.flow.user_id)
    with pytest.raises(NotFound):
        await mine.create_folder("Theirs", others.flow.user_id)
    with pytest.raises(NotFound):
        await mine.list_folders(others.flow.user_id)
    template = await mine.create_template("Start", hers.flow.id)
    with pytest.raises(NotFound):
        await mine.use_template(template.id, others.flow.user_id)


async def test_what_she_makes_is_hers(mine, hers, eve, runtime):
    template = await mine.create_template("Start", hers.flow.id)
    made = [
        await mine.create_flow("New"),
        await mine.duplicate_flow(hers.flow.id),
        await mine.import_flow(await mine.export_flow(hers.flow.id)),
        await mine.use_template(template.id),
    ]
    folder = await mine.create_folder("New")

    assert {flow.user_id for flow in made} == {eve.id}
    assert folder.user_id == eve.id
    assert (await mine.move_flow(made[0].id, folder.id)).folder_id == folder.id
    assert [item.id for item in await runtime.backend.list_templates()] == [template.id]
    run = await mine.get_execution(await mine.run_flow(hers.flow.id, {}))
    assert run.state in ExecutionState


async def test_people_keys_settings_and_the_log_are_for_admins(mine, eve):
    for refused in (
        mine.list_api_keys(),
        mine.create_api_key("More", Scope.ADMIN),
        mine.create_user("Mallory", "mallory@example.org"),
        mine.update_user(eve.id, full_name="Root"),
        mine.engine_settings(),
        mine.pause_runs(),
        mine.service_settings(),
        mine.list_invitations(),
        mine.change_secrets_key(),
    ):
        with pytest.raises(Forbidden):
            await refused


async def test_events_do_not_name_other_users_resources(mine, hers, others, runtime):
    told = []
    ready, done = asyncio.Event(), asyncio.Event()

    async def listen():
        changes = mine.changes()
        first = asyncio.ensure_future(anext(changes))
        ready.set()
        told.append(await first)
        async for change in changes:
            told.append(change)
            if hers.folder.id in change.ids:
                done.set()

    listening = asyncio.create_task(listen())
    await ready.wait()
    async with asyncio.timeout(PATIENCE):
        while not done.is_set():
            await runtime.backend.update_flow(others.flow.id, name="Secret plans")
            await runtime.backend.rename_folder(others.folder.id, "Secret folder", others.flow.user_id)
            await runtime.backend.run_flow(others.flow.id, {})
            await runtime.backend.rename_folder(hers.folder.id, "Hers", hers.flow.user_id)
            await asyncio.sleep(0)
    listening.cancel()

    named = {one for change in told for one in change.ids}
    assert hers.folder.id in named
    assert not named & {others.flow.id, others.folder.id}
    assert named <= {hers.folder.id, hers.flow.id, hers.run}


async def test_a_stream_of_events_ends_when_its_key_is_revoked(service, eve):
    made = await service.runtime.backend.create_api_key("Hers", Scope.ADMIN, eve.id)
    headers = {"x-api-token": made.value}
    async with (
        asyncio.timeout(12),  # after 15 seconds a stream looks at its key by itself
        patient.AsyncClient(base_url=service.base_url, headers=headers) as client,
        client.stream("GET", "/v1/events") as answer,
    ):
        lines = answer.aiter_lines()
        assert await anext(lines) == ": connected"
        await service.runtime.backend.revoke_api_key(made.key.id)
        rest = [line async for line in lines if line]

    assert rest == []


@pytest.mark.parametrize(
    ("role", "scope", "missing"),
    [
        (EDITOR, Scope.ADMIN, {Feature.ENGINE, Feature.ACCESS, Feature.PEOPLE, Feature.ADDRESS}),
        (
            VIEWER,
            Scope.ADMIN,
            {
                Feature.ENGINE,
                Feature.ACCESS,
                Feature.PEOPLE,
                Feature.ADDRESS,
                Feature.CHANGES,
                Feature.CONNECTIONS,
                Feature.EDIT_FLOWS,
                Feature.RUN_FLOWS,
                Feature.RUN_CONTROL,
            },
        ),
    ],
)
async def test_what_a_key_does_not_allow_is_in_its_capabilities(runtime, open_as, role, scope, missing):
    person = await runtime.backend.create_user("Ada", "ada@example.org", role.id)
    remote = await open_as(person, scope)

    await remote.open()

    assert set(remote.capabilities.unavailable) == missing
    assert all("API key" in reason for reason in remote.capabilities.unavailable.values())


async def test_keys_of_admins_and_keys_without_a_user_have_full_access(
    runtime, caller, open_as, hers, others
):
    (owner,) = [user for user in await runtime.backend.list_users() if user.full_name == "Owner"]
    as_owner = await open_as(owner)

    assert (await as_owner.list_flows(FlowFilter(), FIRST)).total == 2
    assert (await caller.get("/v1/flows")).json()["meta"]["count"] == 2
    assert (await as_owner.get_flow(hers.flow.id)).id == hers.flow.id


async def test_the_state_of_secrets_counts_their_connections_only(service, mine, others):
    whole, before = service.runtime, (await mine.secrets_state()).stored
    for number in range(3):
        item = Connection(id=ConnectionId(f"other-{number}"), app_key=DESK, screen_name=f"Other {number}")
        sealed = await whole.secret_store.seal(item.id, {"apiKey": "planted"})

        def store(tx, item=item, sealed=sealed):
            connections.add(tx, item, others.connection.user_id)
            secrets.put(tx, sealed)

        await whole.db.write(store)

    assert (await whole.backend.secrets_state()).stored == 3
    assert (await mine.secrets_state()).stored == before == len(await mine.list_connections())
