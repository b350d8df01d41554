"""Every operation of the Backend returns the same results and errors locally and through the server."""

import inspect

import pytest
from tests.support.contract_workspaces import local_workspace, remote_workspace
from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import (
    STORIES,
    Story,
    access,
    connections,
    engine,
    executions,
    flow_running,
    flows,
    hosting,
    organise,
    people,
    runs,
    secrets,
    sign_ins,
    step_trees,
    steps,
    tools,
    workspace,
)

from patchbay.domain.backend import Backend

CHAPTERS = (
    access,
    connections,
    engine,
    executions,
    flow_running,
    flows,
    hosting,
    organise,
    people,
    runs,
    secrets,
    sign_ins,
    step_trees,
    steps,
    tools,
    workspace,
)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
async def test_local_and_remote_workspaces_behave_the_same(story: Story, tmp_path, other_database):
    """The remote one keeps its rows on a PostgreSQL server, where there is one."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    async with local_workspace(here) as workspace:
        local = OperationRecorder(workspace)
        await story.run(local)
    async with remote_workspace(there, other_database) as workspace:
        remote = OperationRecorder(workspace)
        await story.run(remote)

    assert [(name, result) for name, result in remote.lines if not _names_malformed_id(result)] == [
        line
        for line, (_, result) in zip(local.lines, remote.lines, strict=True)
        if not _names_malformed_id(result)
    ]
    assert remote.called <= story.covers


def _names_malformed_id(result) -> bool:
    """Whether the server rejected a malformed ID, which only it distinguishes from an unknown one."""
    is_not_found = isinstance(result, dict) and result.get("error") == "NotFound"
    return is_not_found and result["meta"]["happened"].endswith("isn't an ID.")


def test_every_operation_of_the_backend_is_covered():
    operations = {name for name, member in inspect.getmembers(Backend, inspect.isfunction) if name[0] != "_"}

    covered = set().union(*(story.covers for story in STORIES))

    assert covered == operations
