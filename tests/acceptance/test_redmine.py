"""The redmine app against a real Redmine."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.support.living_flows import change, open_runtime_with, poll, publish, runs, steps
from tests.support.redmine import Redmine, missing, redmine
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.base import AppKey
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
async def runtime(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    opened = await open_runtime_with(tmp_path, "redmine")
    yield opened
    await opened.close()


async def connect(runtime: WorkspaceRuntime, server: Redmine, key: str = "") -> Connection:
    values: dict[str, Any] = {"instanceUrl": f"{server.address}/", "apiKey": key or server.key}
    return await runtime.backend.add_connection(AppKey("redmine"), values)


async def options(
    runtime: WorkspaceRuntime, loader: str, connection: Connection, **parameters: str
) -> dict[str, str]:
    """Labels and values a dropdown of the create step offers."""
    flow = await runtime.flow(change("tools", "catch"), change("redmine", "createIssue", connection.id))
    found = await runtime.backend.dynamic_options(flow.steps[1].id, loader, dict(parameters))
    return {option.label: str(option.value) for option in found}


async def test_a_good_key_is_accepted_and_the_connection_named_after_the_account(runtime, server):
    made = await connect(runtime, server)
    tested = await runtime.backend.test_connection(made.id)

    assert made.screen_name == "admin at 127.0.0.1"
    assert tested.health is ConnectionHealth.VALID


async def test_a_bad_key_is_refused_and_leaves_nothing_behind(runtime, server):
    with pytest.raises(ThirdPartyError) as refused:
        await connect(runtime, server, key="0123456789abcdef")

    assert refused.value.status == 401
    assert await runtime.backend.list_connections() == ()


async def test_dropdowns_follow_the_chosen_project(runtime, server):
    connection = await connect(runtime, server)

    projects = await options(runtime, "listProjects", connection)
    of_site = {"projectId": projects["Website"]}
    of_shop = {"projectId": projects["Website » Shop"]}

    assert list(projects) == ["Website", "Website » Shop"]
    assert list(await options(runtime, "listTrackers", connection, **of_site)) == [
        "Bug",
        "Feature",
        "Support",
    ]
    assert list(await options(runtime, "listTrackers", connection, **of_shop)) == ["Support"]
    assert list(await options(runtime, "listAssignees", connection, **of_site)) == ["Grace Hopper"]
    assert await options(runtime, "listAssignees", connection, **of_shop) == {}
    assert "Urgent" in await options(runtime, "listPriorities", connection)


async def test_a_new_issue_starts_a_flow_that_creates_another(runtime, server):
    connection = await connect(runtime, server)
    site, shop = server.project("website"), server.project("shop")
    grace = (await options(runtime, "listAssignees", connection, projectId=site))["Grace Hopper"]
    urgent = (await options(runtime, "listPriorities", connection))["Urgent"]
    feature = (await options(runtime, "listTrackers", connection, projectId=site))["Feature"]
    server.create_issue(project_id=shop, subject="Known before")
    await publish(
        runtime,
        change("redmine", "newIssue", connection.id, projectId=shop),
        change(
            "redmine",
            "createIssue",
            connection.id,
            projectId=site,
            trackerId=feature,
            priorityId=urgent,
            assigneeId=grace,
            dueDate="2027-01-31",
            subject="Follow up {{step.{trigger}.subject}}",
        ),
    )

    first = server.create_issue(project_id=shop, subject="Till is stuck")
    second = server.create_issue(project_id=shop, subject="Lamp is out")
    await poll(runtime)
    found = await runs(runtime, 2)

    assert [execution.state for execution in found] == [ExecutionState.SUCCESS] * 2
    triggered = [(await steps(runtime, execution))[0].data_out["id"] for execution in found]
    assert triggered == [second, first]
    created = server.issue((await steps(runtime, found[0]))[1].data_out["id"])
    assert created["subject"] == "Follow up Lamp is out"
    assert (created["tracker"]["name"], created["priority"]["name"]) == ("Feature", "Urgent")
    assert (created["assigned_to"]["name"], created["due_date"]) == ("Grace Hopper", "2027-01-31")


async def test_a_key_that_was_withdrawn_fails_the_trigger_instead_of_showing_what_is_public(runtime, server):
    key = server.new_key("grace")
    connection = await connect(runtime, server, key)
    await publish(
        runtime,
        change("redmine", "newIssue", connection.id, projectId=server.project("website")),
        change("tools", "pass"),
    )

    server.withdraw_key("grace")
    await poll(runtime)
    [execution] = await runs(runtime, 1)

    assert execution.state is ExecutionState.FAILURE
    assert "401" in (execution.note or "")


async def test_more_issues_than_fit_a_page_start_a_run_each(runtime, server):
    connection = await connect(runtime, server)
    shop = server.project("shop")
    await publish(
        runtime, change("redmine", "newIssue", connection.id, projectId=shop), change("tools", "pass")
    )

    for number in range(101):
        server.create_issue(project_id=shop, subject=f"Part {number}")
    await poll(runtime)
    found = await runs(runtime, 101, seconds=60)

    assert len({execution.internal_id for execution in found}) == len(found)


async def test_what_redmine_refuses_is_reported_in_its_own_words(runtime, server):
    connection = await connect(runtime, server)
    site = server.project("website")
    create = change("redmine", "createIssue", connection.id, projectId=site, subject="Late", dueDate="soon")
    flow = await runtime.skipped(await runtime.flow(change("tools", "catch"), create))

    tested = await runtime.backend.test_step(flow.steps[1].id)

    error = tested.result.error_details
    assert (error["status"], error["said"]) == (422, "Due date is not a valid date")
