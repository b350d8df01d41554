"""A flow that is imported to be published: all of it in one commit, or a draft that says what is missing."""

import httpx
import pytest
from tests.support.app_calls import built_in_app
from tests.support.contract_workspaces import served
from tests.support.desk import TOOLS
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.client.remote import RemoteBackend
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditFilter, current_actor
from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.errors import FlowNotReady, StorageFault, ValidationFailed
from patchbay.domain.flow_calls import PATCHBAY_APP
from patchbay.domain.flows import FlowFilter, StepChange, StepTestStatus
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import EDITOR
from patchbay.service.readiness import NOT_CALLABLE
from patchbay.storage.repositories import flow_versions


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path, more_apps=[*map(built_in_app, ("patchbay", "formatter"))])
    yield opened
    await opened.close()


@pytest.fixture
async def export(backend, runtime):
    return await backend.export_flow((await runtime.flow(CATCH, PASS, PASS, name="Original")).id)


@pytest.fixture
def writes(runtime, monkeypatch):
    """The writes to the database from now on."""
    found = []
    write = runtime.db.write

    def counted(work):
        found.append(work)
        return write(work)

    monkeypatch.setattr(runtime.db, "write", counted)
    return found


class Requests(httpx.AsyncHTTPTransport):
    """Records the changing requests. With `ignored`, the server doesn't get that query parameter."""

    def __init__(self, ignored: str = "") -> None:
        super().__init__()
        self.ignored = ignored
        self.sent: list[str] = []

    async def handle_async_request(self, request):
        if request.method != "GET":
            self.sent.append(f"{request.method} {request.url.path.rpartition('/')[2]}")
        request.url = request.url.copy_remove_param(self.ignored)
        return await super().handle_async_request(request)


async def test_import_and_publishing_are_one_commit(runtime, backend, export, writes):
    imported = await backend.import_and_publish_flow(export)

    assert len(writes) == 1
    assert imported.error is None
    assert imported.flow == await backend.get_flow(imported.flow.id)
    assert (imported.flow.active, imported.flow.published_version) == (True, 1)
    assert (imported.flow.imported_from, imported.flow.has_unpublished_edits) == (export.fingerprint, False)
    assert {step.tested for step in imported.flow.steps} == {StepTestStatus.SKIPPED}
    version = await runtime.db.read(lambda tx: flow_versions.published(tx, imported.flow.id))
    assert [step.id for step in version.steps] == [step.id for step in imported.flow.steps]
    assert [item.version.flow_id for item in await runtime.db.read(flow_versions.active_triggers)] == [
        imported.flow.id
    ]


async def test_the_result_is_that_of_separate_calls(runtime, backend, export):
    separate = await backend.publish_flow((await runtime.skipped(await backend.import_flow(export))).id)

    together = (await backend.import_and_publish_flow(export)).flow

    ids = {"id", "steps", "created_at", "updated_at"}
    step_ids = {"id", "webhook_url", "webhook_path"}
    assert together.model_dump(exclude=ids) == separate.model_dump(exclude=ids)
    assert [step.model_dump(exclude=step_ids) for step in together.steps] == [
        step.model_dump(exclude=step_ids) for step in separate.steps
    ]


async def test_an_incomplete_flow_is_imported_as_a_draft_in_one_commit(runtime, backend, writes):
    flow = await runtime.flow(CATCH, StepChange(app_key=TOOLS), name="Incomplete")
    export = await backend.export_flow(flow.id)
    writes.clear()

    imported = await backend.import_and_publish_flow(export)

    assert len(writes) == 1
    assert isinstance(imported.error, FlowNotReady)
    assert [(blocker.position, blocker.field) for blocker in imported.error.blockers] == [(2, "key")]
    draft = await backend.get_flow(imported.flow.id)
    assert (draft.active, [step.tested for step in draft.steps]) == (False, [StepTestStatus.SKIPPED, None])
    assert await runtime.db.read(lambda tx: flow_versions.published(tx, draft.id)) is None


async def test_fields_that_depend_on_a_value_must_be_filled_too(runtime, backend):
    values: JsonObject = {"transform": "replace", "input": "a", "useRegex": False}
    step = StepChange(app_key=AppKey("formatter"), key="text", parameters=values)
    export = await backend.export_flow((await runtime.flow(CATCH, step)).id)
    separate = await backend.import_flow(export)

    imported = await backend.import_and_publish_flow(export)

    await backend.skip_step_test(separate.steps[0].id)
    with pytest.raises(ValidationFailed) as refused:
        await backend.skip_step_test(separate.steps[1].id)
    assert "find" in refused.value.fields()
    assert isinstance(imported.error, FlowNotReady)
    assert [blocker.position for blocker in imported.error.blockers] == [2]


async def test_nothing_is_left_of_an_import_whose_commit_fails(backend, export, monkeypatch):
    before = (await backend.list_flows(FlowFilter(), PageRequest())).total

    def refuse(*args, **values):
        raise StorageFault("The disk is full.")

    monkeypatch.setattr(flow_versions, "add", refuse)
    monkeypatch.setattr(backend._flows, "insert", refuse)
    with pytest.raises(StorageFault):
        await backend.import_and_publish_flow(export)

    assert (await backend.list_flows(FlowFilter(), PageRequest())).total == before


async def test_the_audit_log_has_both(backend, export):
    await backend.import_and_publish_flow(export)

    entries = (await backend.audit_log(AuditFilter(), PageRequest(limit=2))).items
    assert [(entry.deed, entry.subject) for entry in reversed(entries)] == [
        (AuditAction.CREATED, "Original"),
        (AuditAction.PUBLISHED, "Original"),
    ]


async def test_an_editors_import_calls_only_their_own_flows(runtime, backend):
    called = StepChange(app_key=PATCHBAY_APP, key="called")
    target = await backend.publish_flow((await runtime.skipped(await runtime.flow(called, PASS))).id)
    call = StepChange(app_key=PATCHBAY_APP, key="callFlow", parameters={"flow": target.id})
    export = await backend.export_flow((await runtime.flow(CATCH, call)).id)
    eve = await backend.create_user("Eve", "eve@example.org", EDITOR.id)

    by_owner = await backend.import_and_publish_flow(export)
    actor = Actor(kind=ActorKind.KEY, id="key", name="Eve's key", user_id=eve.id)
    token = current_actor.set(actor)
    try:
        by_eve = await backend.import_and_publish_flow(export)
    finally:
        current_actor.reset(token)

    assert by_owner.flow.active
    assert (by_eve.flow.active, by_eve.flow.user_id) == (False, eve.id)
    assert [blocker.reason for blocker in by_eve.error.blockers] == [NOT_CALLABLE]


async def test_over_http_it_is_one_request(runtime, export):
    requests = Requests()
    async with served(runtime) as service:
        remote = RemoteBackend(service.base_url, service.key, transport=requests)
        imported = await remote.import_and_publish_flow(export)
        await remote.close()

    assert requests.sent == ["POST import"]
    assert imported == await _imported(runtime, imported)


async def test_a_server_that_only_imports_drafts_gets_separate_requests(runtime, backend, export):
    requests = Requests(ignored="publish")
    unfinished = await backend.export_flow((await backend.create_flow("Unfinished")).id)
    async with served(runtime) as service:
        remote = RemoteBackend(service.base_url, service.key, transport=requests)
        imported = await remote.import_and_publish_flow(export)
        sent = tuple(requests.sent)
        draft = await remote.import_and_publish_flow(unfinished)
        await remote.close()

    assert sent == ("POST import", *["POST skip-test"] * 3, "PATCH status")
    assert imported == await _imported(runtime, imported)
    assert isinstance(draft.error, FlowNotReady)


async def _imported(runtime, imported):
    """The same result with the flow as it is stored."""
    stored = await runtime.backend.get_flow(imported.flow.id)
    assert stored.active
    return type(imported)(stored)
