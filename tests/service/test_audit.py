"""Who did what is written down with every change, and nothing that is secret with it."""

import inspect
from pathlib import Path

import pytest
from tests.contract.test_both_homes import CHAPTERS
from tests.support.audited import Audited
from tests.support.contract_workspaces import local_workspace
from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import STORIES, Story
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditEntry, AuditFilter, current_actor
from patchbay.domain.backend import Backend
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import AppError
from patchbay.domain.paging import PageRequest
from patchbay.service.key_stores import MemoryKeyStore

READS = frozenset({
    "audit_log", "bulk_retry", "changes", "close", "count_executions", "dynamic_fields", "dynamic_options",
    "engine_settings", "execution_steps", "export_flow", "flow_activity", "folder_stats", "get_app",
    "get_connection", "get_execution", "get_flow", "get_template", "health", "histogram", "history_copy",
    "info", "list_api_keys", "list_apps", "list_connections", "list_executions", "list_flows", "list_folders",
    "list_invitations", "list_roles", "list_templates", "list_tools", "list_users", "preview_schedule",
    "search_executions", "secrets_state", "service_settings", "step_samples", "storage_usage",
    "test_public_address",
})  # fmt: skip
"""Operations that change nothing."""

NOTHING_YET = frozenset(
    {
        "begin_sign_in",
        "submit_callback",
        "cancel_sign_in",  # nothing is changed before `finish_sign_in`
        "start_history_download",
        "stop_history_download",  # of the copy that a window keeps of another service
    }
)

BELOW = frozenset({"discard_lost_secrets"})
"""Operations that no story can perform; they have their own tests."""

MARKER = "geheim-5d1f"


def _operations() -> set[str]:
    return {name for name, member in inspect.getmembers(Backend, inspect.isfunction) if name[0] != "_"}


async def _operations_with_entry(story: Story, folder: Path) -> set[str]:
    """The operations that left an entry in the audit log while this story ran."""
    async with local_workspace(folder) as workspace:
        watched = Audited(workspace.runtime.backend, workspace.runtime.db)
        workspace.backend = watched
        await story.run(OperationRecorder(workspace))
        return watched.left


async def _log(backend: Backend, where: AuditFilter | None = None) -> list[AuditEntry]:
    page = await backend.audit_log(where or AuditFilter(), PageRequest(limit=200))
    return list(reversed(page.items))


async def _actions(backend: Backend) -> list[tuple[AuditAction, ResourceType, str]]:
    return [(entry.deed, entry.noun, entry.subject) for entry in await _log(backend)]


async def test_every_operation_that_changes_something_leaves_an_entry_and_no_other_does(tmp_path_factory):
    writing = _operations() - READS - NOTHING_YET - BELOW
    left: set[str] = set()
    for story in sorted(STORIES, key=lambda story: -len(story.covers & writing)):
        if story.covers & writing - left:
            left |= await _operations_with_entry(story, tmp_path_factory.mktemp("workspace"))

    assert CHAPTERS
    assert left == writing


async def test_the_log_says_who_acted(backend):
    (owner,) = await backend.list_users()
    guest = Actor(kind=ActorKind.KEY, id="key-1", name="Build server", user_id=owner.id, address="10.0.4.17")
    await backend.create_folder("By nobody in particular")
    token = current_actor.set(guest)
    try:
        await backend.create_folder("By the build server")
    finally:
        current_actor.reset(token)

    ours, theirs = await _log(backend)

    assert (ours.actor.kind, ours.actor.name) == (ActorKind.PROGRAM, "Patchbay")
    assert theirs.actor == guest
    assert [entry.subject for entry in await _log(backend, AuditFilter(actor_id="key-1"))] == [theirs.subject]


async def test_what_is_refused_leaves_nothing(backend):
    flow = await backend.create_flow("Draft")
    for refused in (
        backend.create_folder(" "),
        backend.pause_flow(flow.id),
        backend.publish_flow(flow.id),
        backend.delete_folder("nothing"),
    ):
        with pytest.raises(AppError):
            await refused

    assert await _actions(backend) == [(AuditAction.CREATED, ResourceType.FLOW, "Draft")]


async def test_what_changes_nothing_leaves_nothing(backend):
    flow = await backend.create_flow("Draft")
    await backend.unpublish_flow(flow.id)
    await backend.restore_flow(flow.id)
    await backend.resume_flow(flow.id)

    assert await _actions(backend) == [(AuditAction.CREATED, ResourceType.FLOW, "Draft")]


async def test_a_renamed_resource_keeps_its_old_name_in_the_log(backend):
    flow = await backend.create_flow("First name")
    await backend.update_flow(flow.id, name="Second name")
    await backend.delete_flow(flow.id)
    folder = await backend.create_folder("Gone soon")
    await backend.delete_folder(folder.id)

    assert await _actions(backend) == [
        (AuditAction.CREATED, ResourceType.FLOW, "First name"),
        (AuditAction.RENAMED, ResourceType.FLOW, "Second name"),
        (AuditAction.DELETED, ResourceType.FLOW, "Second name"),
        (AuditAction.CREATED, ResourceType.FOLDER, "Gone soon"),
        (AuditAction.DELETED, ResourceType.FOLDER, "Gone soon"),
    ]


async def test_runs_are_entries_when_a_person_asked_for_them_and_bear_the_name_of_the_flow(runtime, backend):
    await runtime.engine.start()
    flow = await backend.publish_flow((await runtime.skipped(await runtime.flow(CATCH, PASS))).id)
    before = len(await _log(backend))

    run = await backend.run_flow(flow.id, {"name": "Ada"})
    while not (await backend.get_execution(run)).state.finished:
        pass
    await backend.replay_execution(run)

    assert (await _actions(backend))[before:] == [
        (AuditAction.RUN, ResourceType.FLOW, flow.name),
        (AuditAction.REPLAYED, ResourceType.EXECUTION, flow.name),
    ]


async def test_no_value_and_no_secret_is_in_the_log(desk_runtime, desk_service):
    backend = desk_runtime.backend
    desk_service.good_key = MARKER
    connection = await desk_runtime.connect(MARKER)
    made = await backend.create_api_key("Laptop")
    flow = await desk_runtime.flow(CATCH, PASS.model_copy(update={"parameters": {"text": MARKER}}))
    await backend.reconnect(connection.id, {"apiKey": MARKER})
    await backend.change_engine_settings(EngineSettings(max_concurrent=7))
    await backend.delete_flow(flow.id)

    told = " ".join(entry.model_dump_json() for entry in await _log(backend))

    assert ResourceType.API_KEY in {entry.noun for entry in await _log(backend)}
    assert MARKER not in told
    assert made.value not in told
    assert made.key.hint not in told


async def test_scheduled_tests_are_not_logged(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    before = await _actions(desk_runtime.backend)

    await desk_runtime.backend.test_connection_in_background(connection.id)
    unasked = await _actions(desk_runtime.backend)
    await desk_runtime.backend.test_connection(connection.id)

    assert unasked == before
    assert (await _actions(desk_runtime.backend))[-1] == (
        AuditAction.TESTED,
        ResourceType.CONNECTION,
        connection.screen_name,
    )


async def test_the_log_is_bounded_and_the_newest_entries_stay(backend):
    for number in range(8):
        await backend.create_folder(f"Folder {number}")

    await backend._audit_log.trim_audit_log(max_entries=3)
    await backend._audit_log.trim_audit_log(max_entries=3)

    assert [entry.subject for entry in await _log(backend)] == ["Folder 5", "Folder 6", "Folder 7"]


async def test_giving_up_lost_secrets_is_an_entry(tmp_path, desk_service):
    first = await open_runtime(tmp_path, desk_service)
    await first.connect(desk_service.good_key)
    await first.close()
    runtime = await open_runtime(tmp_path, desk_service, home=MemoryKeyStore())

    try:
        given_up = await runtime.backend.discard_lost_secrets()

        assert given_up == 1
        assert (await _actions(runtime.backend))[-1] == (
            AuditAction.DELETED,
            ResourceType.WORKSPACE,
            "Secrets",
        )
    finally:
        await runtime.close()
