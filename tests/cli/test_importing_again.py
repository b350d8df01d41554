"""A file that is imported again changes only unchanged drafts, and only those of the person who imports."""

import json

import pytest
from tests.support.chime import ChimeService, chime
from tests.support.workspace import PASS, open_runtime

from patchbay.cli.main import run_in_workspace
from patchbay.cli.parser import parse
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import AppKey
from patchbay.domain.flows import FlowFilter, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import EDITOR

CHIMED = StepChange(app_key=AppKey("chime"), key="chimed", parameters={"event": "door"})
EDITED = StepChange(parameters={"text": "edited"})


@pytest.fixture
async def runtime(tmp_path):
    service = ChimeService()
    opened = await open_runtime(tmp_path, service, more_apps=[chime])
    await opened.engine.start()
    await opened.backend.add_connection(AppKey("chime"), {"screenName": "Ada", "apiKey": service.good_key})
    yield opened
    await opened.close()
    service.close()


@pytest.fixture
def backend(runtime):
    return runtime.backend


@pytest.fixture
async def export(runtime, backend):
    """Export of a flow that is deleted."""
    flow = await runtime.flow(CHIMED, PASS, name="Orders")
    found = await backend.export_flow(flow.id)
    await backend.delete_flow(flow.id)
    return found


@pytest.fixture
def run(backend, export, tmp_path, capsys):
    """Imports the file with options; returns the exit code and the flow's entry in the output."""
    path = tmp_path / "orders.json"
    path.write_text(json.dumps(export.wire()), encoding="utf-8")

    async def imported(*options):
        capsys.readouterr()
        code = await run_in_workspace(backend, parse(["flow", "import", str(path), "--json", *options]))
        return code, json.loads(capsys.readouterr().out)[0]

    return imported


async def stored(backend):
    return (await backend.list_flows(FlowFilter(), PageRequest())).items


OPTIONS = pytest.mark.parametrize(
    "options", [["--publish"], ["--use-accounts"], ["--publish", "--use-accounts"]], ids=" ".join
)


@OPTIONS
async def test_a_draft_of_another_person_stays_as_it_is(backend, export, run, options):
    eve = await backend.create_user("Eve", "eve@example.org", EDITOR.id)
    token = current_actor.set(Actor(kind=ActorKind.KEY, id="key", name="Eve's key", user_id=eve.id))
    draft = await backend.import_flow(export)
    hers = await backend.update_step(draft.steps[1].id, EDITED)
    current_actor.reset(token)

    _, entry = await run(*options)

    assert (entry["id"] != hers.id, entry["imported"]) == (True, True)
    assert await backend.get_flow(hers.id) == hers


@pytest.mark.parametrize("options", [["--publish"], ["--use-accounts"]], ids=" ".join)
async def test_an_own_draft_that_was_changed_stays_as_it_is(backend, export, run, options):
    draft = await backend.import_flow(export)
    await backend.update_step(draft.steps[1].id, EDITED)
    before = await stored(backend)

    code, entry = await run(*options)

    assert (code, entry["id"], entry["published"]) == (1, draft.id, False)
    assert "This draft was changed since it was imported." in entry["missing"][0]
    assert await stored(backend) == before


async def test_an_unchanged_draft_gets_its_account_and_is_published(backend, run):
    _, first = await run()
    connected, _ = await run("--use-accounts")
    (draft,) = await stored(backend)
    code, again = await run("--publish")

    assert (connected, draft.steps[0].connection_id is None, draft.active) == (0, False, False)
    assert (code, again["id"], again["imported"], again["published"]) == (0, first["id"], False, True)
