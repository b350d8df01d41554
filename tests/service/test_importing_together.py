"""Several flows that are imported to be published: all of them in one commit, or none."""

from contextlib import contextmanager

import httpx
import pytest
from tests.support.chime import ChimeService, chime
from tests.support.contract_workspaces import served
from tests.support.desk import TOOLS
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.client.remote import RemoteBackend
from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditFilter, current_actor
from patchbay.domain.base import AppKey
from patchbay.domain.errors import NotSupported, StorageFault, ValidationFailed
from patchbay.domain.flow_import import find_imported_flows
from patchbay.domain.flows import FlowFilter, FlowVersion, StepChange, StepTestStatus
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import EDITOR
from patchbay.storage import flow_directory
from patchbay.storage.repositories import flow_versions

CHIMED = StepChange(app_key=AppKey("chime"), key="chimed", parameters={"event": "door"})
REFUSED = StepChange(app_key=AppKey("chime"), key="chimed", parameters={"event": "chimney"})


class Chimes(ChimeService):
    """Keeps any number of webhooks."""

    def _put(self, body):
        others, self.hooks = self.hooks, {}
        try:
            return super()._put(body)
        finally:
            self.hooks = others | self.hooks


@pytest.fixture
def service():
    running = Chimes()
    running.refused_events.add("chimney")
    yield running
    running.close()


@pytest.fixture
async def runtime(tmp_path, service):
    opened = await open_runtime(tmp_path, service, more_apps=[chime])
    await opened.engine.start()
    yield opened
    await opened.close()


@pytest.fixture
async def account(backend, service):
    """The only connection of Chime."""
    return await backend.add_connection("chime", {"screenName": "Ada", "apiKey": service.good_key})


@pytest.fixture
def exported(runtime):
    """Exports a flow of these steps; nothing else stays of it."""

    async def export(*changes, name="A flow"):
        flow = await runtime.flow(*changes, name=name)
        found = await runtime.backend.export_flow(flow.id)
        await runtime.backend.delete_flow(flow.id)
        return found

    return export


@pytest.fixture
async def files(exported):
    """Two complete flows with webhooks at Chime."""
    return [await exported(CHIMED, PASS, name="First"), await exported(CHIMED, PASS, name="Second")]


async def stored(backend):
    return (await backend.list_flows(FlowFilter(), PageRequest())).items


@contextmanager
def acting_as(user):
    token = current_actor.set(Actor(kind=ActorKind.KEY, id="key", name="A key", user_id=user.id))
    try:
        yield
    finally:
        current_actor.reset(token)


async def test_all_are_published_in_one_commit(runtime, backend, account, files, service, monkeypatch):
    writes = []
    write = runtime.db.write

    def counted(work):
        writes.append(work)
        return write(work)

    monkeypatch.setattr(runtime.db, "write", counted)

    published = await backend.import_and_publish_flows(files, use_accounts=True)

    assert len(writes) == 1
    assert [(flow.name, flow.active) for flow in published] == [("First", True), ("Second", True)]
    assert {flow.steps[0].connection_id for flow in published} == {account.id}
    assert {step.tested for flow in published for step in flow.steps} == {StepTestStatus.SKIPPED}
    assert {flow.id: flow for flow in await stored(backend)} == {flow.id: flow for flow in published}
    assert len(service.hooks) == 2
    active = await runtime.db.read(flow_versions.active_triggers)
    assert {item.version.flow_id for item in active} == {flow.id for flow in published}


async def test_published_flows_are_read_only_if_a_flow_calls_them(backend, account, files, monkeypatch):
    await backend.import_and_publish_flows(files, use_accounts=True)
    read: list[str] = []

    def record(tx, flow_ids):
        read.extend(flow_ids)
        return {}

    monkeypatch.setattr(flow_directory, "published_steps", record)

    await backend.import_and_publish_flows(files, use_accounts=True, copy=True)

    assert read == []


async def test_the_audit_log_has_every_flow(backend, account, files):
    await backend.import_and_publish_flows(files, use_accounts=True)

    entries = (await backend.audit_log(AuditFilter(), PageRequest(limit=4))).items
    assert [(entry.deed, entry.subject) for entry in reversed(entries)] == [
        (AuditAction.CREATED, "First"),
        (AuditAction.PUBLISHED, "First"),
        (AuditAction.CREATED, "Second"),
        (AuditAction.PUBLISHED, "Second"),
    ]


async def test_every_flow_that_is_not_ready_is_named_and_nothing_is_stored(
    backend, account, files, exported, service
):
    misspelt = StepChange(app_key=AppKey("chime"), key="chimed", parameters={"evemt": "door"})
    third = await exported(CHIMED, StepChange(app_key=TOOLS), name="No action")
    last = await exported(misspelt, PASS, name="Misspelt")

    with pytest.raises(ValidationFailed) as refused:
        await backend.import_and_publish_flows([*files, third, last], use_accounts=True)

    assert refused.value.happened == "2 of 4 flows can't be published."
    assert "Flow 3 “No action”: Step 2: Choose an event." in refused.value.meaning
    assert "Flow 4 “Misspelt”: Step 1: “Event” is required. (parameter event)" in refused.value.meaning
    assert "Step 1: “evemt” isn't a parameter of “Chimed”." in refused.value.meaning
    assert "Nothing was imported." in refused.value.todo
    assert await stored(backend) == ()
    assert service.hooks == {}


async def test_a_webhook_that_is_refused_last_takes_the_others_with_it(
    runtime, backend, account, files, exported, service
):
    last = await exported(REFUSED, PASS, name="Last")

    with pytest.raises(ValidationFailed) as refused:
        await backend.import_and_publish_flows([*files, last], use_accounts=True)

    assert refused.value.happened == "1 of 3 flows can't be published."
    assert "Flow 3 “Last”: Chime returned" in refused.value.meaning
    assert await stored(backend) == ()
    assert await runtime.db.read(flow_versions.active_triggers) == ()
    assert len(service.secrets) == 2
    assert service.hooks == {}


async def test_a_commit_that_fails_at_the_last_flow_leaves_nothing(
    runtime, backend, account, files, service, monkeypatch
):
    add = flow_versions.add
    added: list[FlowVersion] = []

    def refuse_second(tx, version):
        if added:
            raise StorageFault("The disk is full.")
        added.append(version)
        add(tx, version)

    monkeypatch.setattr(flow_versions, "add", refuse_second)
    with pytest.raises(StorageFault):
        await backend.import_and_publish_flows(files, use_accounts=True)

    assert len(added) == 1
    assert await stored(backend) == ()
    assert await runtime.db.read(flow_versions.active_triggers) == ()
    assert len(service.secrets) == 2
    assert service.hooks == {}


async def test_drafts_of_an_earlier_import_are_published_and_nothing_is_imported_twice(
    backend, account, files
):
    draft = await backend.import_flow(files[0])

    first = await backend.import_and_publish_flows([*files, files[0]], use_accounts=True)
    again = await backend.import_and_publish_flows(files, use_accounts=True)
    copies = await backend.import_and_publish_flows(files, use_accounts=True, copy=True)

    assert [flow.id for flow in first] == [draft.id, first[1].id, draft.id]
    assert (first[0].active, first[0].steps[0].connection_id) == (True, account.id)
    assert again == first[:2]
    assert not {flow.id for flow in copies} & {flow.id for flow in first}


async def test_a_draft_of_an_earlier_import_stays_as_it_is_if_another_flow_is_not_ready(
    backend, account, files, exported
):
    draft = await backend.import_flow(files[0])
    unfinished = await exported(CATCH, StepChange(app_key=TOOLS), name="Unfinished")

    with pytest.raises(ValidationFailed, match=r"1 of 2 flows"):
        await backend.import_and_publish_flows([files[0], unfinished], use_accounts=True)

    assert await backend.get_flow(draft.id) == draft


async def test_a_draft_that_is_edited_meanwhile_is_not_published(
    backend, account, files, service, monkeypatch
):
    draft = await backend.import_flow(files[0])

    async def publish_after_an_edit(drafts):
        await backend.update_step(draft.steps[1].id, StepChange(parameters={"text": "edited"}))
        return await publish_drafts(drafts)

    publish_drafts = backend._publishing.publish_drafts
    monkeypatch.setattr(backend._publishing, "publish_drafts", publish_after_an_edit)
    with pytest.raises(ValidationFailed, match=r"1 of 2 flows") as refused:
        await backend.import_and_publish_flows(files, use_accounts=True)

    assert "Flow 1 “First”: The flow was changed" in refused.value.meaning
    assert [flow.active for flow in await stored(backend)] == [False]
    assert service.hooks == {}


async def test_an_editor_gets_only_their_own_connections_and_drafts(backend, account, files):
    draft = await backend.import_flow(files[0])
    eve = await backend.create_user("Eve", "eve@example.org", EDITOR.id)
    with acting_as(eve), pytest.raises(ValidationFailed) as refused:
        await backend.import_and_publish_flows(files, use_accounts=True)

    assert refused.value.happened == "2 of 2 flows can't be published."
    assert refused.value.meaning.count("Choose a connection to Chime.") == 2
    assert await stored(backend) == (draft,)


class Requests(httpx.AsyncHTTPTransport):
    """Records the changing requests. With `unknown`, the server doesn't have an address that ends so."""

    def __init__(self, unknown: str = " ") -> None:
        super().__init__()
        self.unknown = unknown
        self.sent: list[str] = []

    async def handle_async_request(self, request):
        if request.method != "GET":
            self.sent.append(f"{request.method} {request.url.path}")
        if request.url.path.endswith(self.unknown):
            request.url = request.url.copy_with(path=request.url.path.replace("imports", "0"))
        return await super().handle_async_request(request)


async def test_over_http_it_is_one_request_with_the_same_result(runtime, backend, account, files, exported):
    unfinished = await exported(CATCH, StepChange(app_key=TOOLS), name="Unfinished")
    requests = Requests()
    async with served(runtime) as server:
        remote = RemoteBackend(server.base_url, server.key, transport=requests)
        with pytest.raises(ValidationFailed) as refused:
            await remote.import_and_publish_flows([*files, unfinished], use_accounts=True)
        nothing = await stored(backend)
        published = await remote.import_and_publish_flows(files, use_accounts=True)
        await remote.close()

    assert "Flow 3 “Unfinished”: Step 2: Choose an event." in refused.value.meaning
    assert nothing == ()
    assert requests.sent == ["POST /v1/flows/imports"] * 2
    assert {flow.id: flow for flow in published} == {flow.id: flow for flow in await stored(backend)}


async def test_an_older_server_is_not_sent_the_flows_one_by_one(runtime, backend, account, files):
    requests = Requests(unknown="/imports")
    async with served(runtime) as server:
        remote = RemoteBackend(server.base_url, server.key, transport=requests)
        with pytest.raises(NotSupported) as refused:
            await remote.import_and_publish_flows(files, use_accounts=True)
        await remote.close()

    assert "can't import and publish several flows at once" in refused.value.happened
    assert "Nothing was imported." in refused.value.meaning
    assert requests.sent == ["POST /v1/flows/imports"]
    assert await stored(backend) == ()


async def test_an_admin_publishes_the_file_and_not_another_persons_draft_of_it(backend, account, files):
    eve = await backend.create_user("Eve", "eve@example.org", EDITOR.id)
    with acting_as(eve):
        drafts = [await backend.import_flow(file) for file in files]
        hers = [
            drafts[0],
            await backend.update_step(drafts[1].steps[1].id, StepChange(parameters={"text": "x"})),
        ]

    published = await backend.import_and_publish_flows(files, use_accounts=True)

    assert not {flow.id for flow in published} & {flow.id for flow in hers}
    assert not {flow.user_id for flow in published} & {eve.id}
    assert [flow.steps[1].parameters for flow in published] == [PASS.parameters] * 2
    assert [await backend.get_flow(flow.id) for flow in hers] == hers


async def _change_parameters(backend, draft):
    await backend.update_step(draft.steps[1].id, StepChange(parameters={"text": "edited"}))


async def _change_name(backend, draft):
    await backend.update_flow(draft.id, name="Renamed")


async def _add_step(backend, draft):
    await backend.add_step(draft.id)


async def _require_a_connection(backend, draft):
    await backend.update_step(draft.steps[0].id, StepChange(connection_undecided=True))


@pytest.mark.parametrize("change", [_change_parameters, _change_name, _add_step, _require_a_connection])
async def test_an_own_draft_that_was_changed_is_not_published_and_gets_no_account(
    backend, account, files, exported, service, change
):
    draft = await backend.import_flow(files[0])
    await change(backend, draft)
    before = await stored(backend)
    unfinished = await exported(CATCH, StepChange(app_key=TOOLS), name="Unfinished")

    with pytest.raises(ValidationFailed) as refused:
        await backend.import_and_publish_flows([*files, unfinished], use_accounts=True)

    assert refused.value.happened == "2 of 3 flows can't be published."
    assert "This draft was changed since it was imported. Publish it in the editor" in refused.value.meaning
    assert "Flow 3 “Unfinished”: Step 2: Choose an event." in refused.value.meaning
    assert await stored(backend) == before
    assert service.hooks == {}


async def test_a_draft_whose_connection_was_chosen_meanwhile_is_published(backend, account, files):
    draft = await backend.import_flow(files[0])
    await backend.update_step(draft.steps[0].id, StepChange(connection_id=account.id))
    await backend.update_step(draft.steps[1].id, StepChange(parameters={"text": "edited"}))
    await backend.update_step(draft.steps[1].id, PASS)

    (published,) = await backend.import_and_publish_flows(files[:1])

    assert (published.id, published.active) == (draft.id, True)


async def test_over_http_each_key_finds_the_imports_of_its_owner(runtime, backend, account, files):
    eve = await backend.create_user("Eve", "eve@example.org", EDITOR.id)
    hers = await backend.create_api_key("Hers", Scope.OPERATE, eve.id)
    async with served(runtime) as server:
        owner, editor = (RemoteBackend(server.base_url, key) for key in (server.key, hers.value))
        draft = await editor.import_flow(files[0])
        found = [await find_imported_flows(client) for client in (owner, editor)]
        (published,) = await owner.import_and_publish_flows(files[:1], use_accounts=True)
        found += [await find_imported_flows(client) for client in (owner, editor)]
        for client in (owner, editor):
            await client.close()

    flows = [flow.id for flows in found for flow in flows.values()]
    assert flows == [draft.id, published.id, draft.id]
    assert found[0] == {}
    assert await backend.get_flow(draft.id) == draft
