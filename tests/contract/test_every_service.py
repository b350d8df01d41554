"""Every server of the HTTP API behaves the same: this process, Patchbay's server, and third-party servers."""

from contextlib import AbstractAsyncContextManager

import pytest
from tests.support.api_recorder import ApiRecorder
from tests.support.api_workspaces import (
    ApiWorkspace,
    behind_patchbay_server,
    behind_recorded_server,
    in_this_process,
)
from tests.support.recorded_service import Habits
from tests.support.stories.interface import API_STORIES, Run

OTHERS = {
    "as_recorded": Habits(),
    "as_described": Habits(base="", people="", web_pages=False, stack_traces=True),
}
OFFERED = {
    "list_apps",
    "get_app",
    "list_executions",
    "get_execution",
    "list_flows",
    "get_flow",
    "create_flow",
    "delete_flow",
    "publish_flow",
    "unpublish_flow",
    "list_templates",
    "create_template",
    "delete_template",
    "get_template",
    "use_template",
    "list_users",
    "delete_user",
    "list_invitations",
    "invite",
    "revoke_invitation",
    "list_folders",
    "create_folder",
    "rename_folder",
    "delete_folder",
}


async def _record(run: Run, opening: AbstractAsyncContextManager[ApiWorkspace]) -> ApiRecorder:
    async with opening as workspace:
        recorder = ApiRecorder(workspace)
        await run(recorder)
    return recorder


@pytest.mark.parametrize(("run", "covers"), API_STORIES, ids=lambda value: getattr(value, "__name__", ""))
async def test_every_server_of_the_api_behaves_the_same(
    run: Run, covers: frozenset[str], tmp_path, other_database
):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    local = await _record(run, in_this_process(here))

    assert local.called == covers
    assert (await _record(run, behind_patchbay_server(there, other_database))).lines == local.lines
    for name, habits in OTHERS.items():
        assert (await _record(run, behind_recorded_server(habits))).lines == local.lines, name


def test_every_operation_of_the_api_is_covered():
    assert frozenset().union(*(covers for _, covers in API_STORIES)) == OFFERED
