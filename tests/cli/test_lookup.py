"""Commands accept the start of an ID, or a name, instead of an ID."""

import pytest
from tests.support.fake_backend import FakeBackend
from tests.support.flow_files import an_id

from patchbay.cli import lookup
from patchbay.cli.main import run_in_workspace
from patchbay.cli.output import WrongUsage
from patchbay.cli.parser import parse
from patchbay.domain.access import ApiKey, Scope
from patchbay.domain.errors import NotFound


@pytest.fixture
def backend():
    return FakeBackend(executions=5)


def asked(backend, operation):
    """What an operation was called with, last."""
    return [call for call in backend.calls if call[0] == operation][-1][1]


@pytest.mark.parametrize("text", ["flow-inventory", "flow-inve", "Inventory check", "inventory CHECK"])
async def test_a_flow_is_found_by_id_by_its_start_and_by_name(backend, text):
    assert await lookup.flow_id(backend, text) == "flow-inventory"


async def test_commands_work_on_what_was_meant(backend, capsys):
    await run_in_workspace(backend, parse(["flow", "pause", "Inventory check"]))
    await run_in_workspace(backend, parse(["connection", "test", "Ops team"]))
    newest = backend.executions[0].id
    await run_in_workspace(backend, parse(["execution", "show", newest]))
    await run_in_workspace(backend, parse(["execution", "list", "--flow", "Inventory check"]))

    assert asked(backend, "pause_flow")[0] == "flow-inventory"
    assert asked(backend, "test_connection")[0] == "con-ops"
    assert asked(backend, "execution_steps")[0] == newest
    assert asked(backend, "list_executions")[0].flow_id == "flow-inventory"


async def test_several_that_may_be_meant_are_listed(backend):
    with pytest.raises(WrongUsage) as refused:
        await lookup.flow_id(backend, "flow-")

    assert refused.value.happened == "“flow-” matches 4 flows."
    assert "\n  flow-inventory  Inventory check\n" in refused.value.text()


async def test_a_name_that_two_have_is_not_guessed(backend):
    backend.connections["con-ops"] = backend.connections["con-ops"].model_copy(
        update={"screen_name": "Team key"}
    )

    with pytest.raises(WrongUsage) as refused:
        await lookup.connection_id(backend, "Team key")

    assert "con-ops  todoist: Team key" in refused.value.text()
    assert "con-deepl  deepl: Team key" in refused.value.text()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "There is no flow called “”. To search by ID, enter at least 4 characters."),
        ("flo", "There is no flow called “flo”. To search by ID, enter at least 4 characters."),
        ("nothing", "No flow has the name “nothing” or an ID that starts with it."),
    ],
)
async def test_what_is_not_there_is_named_with_the_command_that_lists(backend, text, why):
    with pytest.raises(NotFound) as refused:
        await lookup.flow_id(backend, text)

    assert refused.value.text() == f"{why} List them with: patchbay flow list"


async def test_a_whole_id_is_looked_up_without_reading_every_flow(backend):
    nobody = an_id("nobody")

    with pytest.raises(NotFound) as refused:
        await lookup.flow_id(backend, nobody)

    assert refused.value.happened == f"There is no flow with the ID {nobody}."
    assert [call[0] for call in backend.calls] == ["get_flow"]


async def test_an_execution_that_is_not_among_the_newest_is_reported(backend):
    with pytest.raises(NotFound) as refused:
        await lookup.execution_id(backend, "ffff")

    assert refused.value.text() == (
        "None of the newest 2,000 executions has an ID that starts with “ffff”. "
        "List them with: patchbay execution list"
    )


async def test_a_filter_takes_the_id_of_a_deleted_flow(backend):
    gone = an_id("deleted")

    await run_in_workspace(backend, parse(["execution", "list", "--flow", gone]))

    assert asked(backend, "list_executions")[0].flow_id == gone


async def test_users_and_keys_are_found_by_name(backend):
    user = (await backend.list_users())[0]

    assert await lookup.user_id(backend, user.email) == user.id
    assert await lookup.user_id(backend, user.full_name.upper(), invited=True) == user.id
    key = ApiKey(id=an_id("key"), name="Backup script", scope=Scope.READ, hint="…", created_at=0)
    assert (
        lookup.match_candidate("API key", "", "backup script", [lookup.Candidate(key.id, (key.name,))])
        == key.id
    )


async def test_an_app_is_found_by_key_and_by_name(backend):
    assert (await lookup.app(backend, "deepl")).key == "deepl"
    assert (await lookup.app(backend, "deepL")).key == "deepl"

    with pytest.raises(NotFound) as refused:
        await lookup.app(backend, "Depl")

    assert refused.value.text() == "There is no app “Depl”. List them with: patchbay app list"
