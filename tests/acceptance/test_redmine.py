"""The redmine app against a real Redmine."""

from collections.abc import AsyncIterator, Iterator

import pytest
from tests.support.living_flows import change, house_with, poll, publish, runs, steps
from tests.support.redmine import Redmine, missing, redmine
from tests.support.workspace import House

from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.executions import ExecutionState

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.timeout(180),
    pytest.mark.skipif(bool(missing()), reason=missing()),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redmine]:
    with redmine(tmp_path_factory.mktemp("redmine")) as running:
        yield running


@pytest.fixture
async def house(tmp_path) -> AsyncIterator[House]:
    opened = await house_with(tmp_path, "redmine")
    yield opened
    await opened.close()


async def connect(house: House, server: Redmine, key: str = "") -> Connection:
    values = {"instanceUrl": f"{server.address}/", "apiKey": key or server.key}
    return await house.backend.add_connection("redmine", values)


async def options(house: House, loader: str, connection: Connection, **parameters: str) -> dict[str, str]:
    """Labels and values a dropdown of the create step offers."""
    flow = await house.flow(change("tools", "catch"), change("redmine", "createIssue", connection.id))
    found = await house.backend.dynamic_options(flow.steps[1].id, loader, dict(parameters))
    return {option.label: str(option.value) for option in found}


async def test_a_good_key_is_accepted_and_the_connection_named_after_the_account(house, server):
    made = await connect(house, server)
    tested = await house.backend.test_connection(made.id)

    assert made.screen_name == "admin at 127.0.0.1"
    assert tested.health is ConnectionHealth.VALID


async def test_a_bad_key_is_refused_and_leaves_nothing_behind(house, server):
    with pytest.raises(ThirdPartyError) as refused:
        await connect(house, server, key="0123456789abcdef")

    assert refused.value.status == 401
    assert await house.backend.list_connections() == ()


async def test_dropdowns_follow_the_chosen_project(house, server):
    connection = await connect(house, server)

    projects = await options(house, "listProjects", connection)
    of_site = {"projectId": projects["Website"]}
    of_shop = {"projectId": projects["Website » Shop"]}

    assert list(projects) == ["Website", "Website » Shop"]
    assert list(await options(house, "listTrackers", connection, **of_site)) == ["Bug", "Feature", "Support"]
    assert list(await options(house, "listTrackers", connection, **of_shop)) == ["Support"]
    assert list(await options(house, "listAssignees", connection, **of_site)) == ["Grace Hopper"]
    assert await options(house, "listAssignees", connection, **of_shop) == {}
    assert "Urgent" in await options(house, "listPriorities", connection)


async def test_a_new_issue_starts_a_flow_that_creates_another(house, server):
    connection = await connect(house, server)
    site, shop = server.project("website"), server.project("shop")
    grace = (await options(house, "listAssignees", connection, projectId=site))["Grace Hopper"]
    urgent = (await options(house, "listPriorities", connection))["Urgent"]
    feature = (await options(house, "listTrackers", connection, projectId=site))["Feature"]
    server.create_issue(project_id=shop, subject="Known before")
    await publish(
        house,
        change("redmine", "newIssue", connection.id, projectId=shop),
        change(
            "redmine", "createIssue", connection.id, projectId=site, trackerId=feature, priorityId=urgent,
            assigneeId=grace, dueDate="2027-01-31", subject="Follow up {{step.{trigger}.subject}}",
        ),
    )  # fmt: skip

    first = server.create_issue(project_id=shop, subject="Till is stuck")
    second = server.create_issue(project_id=shop, subject="Lamp is out")
    await poll(house)
    found = await runs(house, 2)

    assert [execution.state for execution in found] == [ExecutionState.SUCCESS] * 2
    triggered = [(await steps(house, execution))[0].data_out["id"] for execution in found]
    assert triggered == [second, first]
    created = server.issue((await steps(house, found[0]))[1].data_out["id"])
    assert created["subject"] == "Follow up Lamp is out"
    assert (created["tracker"]["name"], created["priority"]["name"]) == ("Feature", "Urgent")
    assert (created["assigned_to"]["name"], created["due_date"]) == ("Grace Hopper", "2027-01-31")


async def test_a_key_that_was_withdrawn_fails_the_trigger_instead_of_showing_what_is_public(house, server):
    key = server.new_key("grace")
    connection = await connect(house, server, key)
    await publish(
        house,
        change("redmine", "newIssue", connection.id, projectId=server.project("website")),
        change("tools", "pass"),
    )

    server.withdraw_key("grace")
    await poll(house)
    [execution] = await runs(house, 1)

    assert execution.state is ExecutionState.FAILURE
    assert "401" in (execution.note or "")


async def test_more_issues_than_fit_a_page_start_a_run_each(house, server):
    connection = await connect(house, server)
    shop = server.project("shop")
    await publish(
        house, change("redmine", "newIssue", connection.id, projectId=shop), change("tools", "pass")
    )

    for number in range(101):
        server.create_issue(project_id=shop, subject=f"Part {number}")
    await poll(house)
    found = await runs(house, 101, seconds=60)

    assert len({execution.internal_id for execution in found}) == len(found)


async def test_what_redmine_refuses_is_told_in_its_own_words(house, server):
    connection = await connect(house, server)
    site = server.project("website")
    create = change(
        "redmine", "createIssue", connection.id, projectId=site, subject="Late", dueDate="soon"
    )  # fmt: skip
    flow = await house.skipped(await house.flow(change("tools", "catch"), create))

    tested = await house.backend.test_step(flow.steps[1].id)

    error = tested.result.error_details
    assert (error["status"], error["said"]) == (422, "Due date is not a valid date")
