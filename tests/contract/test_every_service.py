"""What the interface offers, in this process, behind our server and behind other services: the same."""

from contextlib import AbstractAsyncContextManager

import pytest
from tests.support.interface_homes import InterfaceHome, behind_another, behind_our_server, in_this_process
from tests.support.interface_teller import InterfaceTeller
from tests.support.recorded_service import Habits
from tests.support.stories.interface import TOLD, Telling

OTHERS = {
    "as_recorded": Habits(),
    "as_described": Habits(base="", people="", web_pages=False, stack_traces=True),
}
OFFERED = {
    "list_apps", "get_app", "list_executions", "get_execution", "list_flows", "get_flow", "create_flow",
    "delete_flow", "publish_flow", "unpublish_flow", "list_templates", "create_template", "delete_template",
    "get_template", "use_template", "list_users", "delete_user", "list_invitations", "invite",
    "revoke_invitation", "list_folders", "create_folder", "rename_folder", "delete_folder",
}  # fmt: skip


async def _lines(tell: Telling, home: AbstractAsyncContextManager[InterfaceHome]) -> InterfaceTeller:
    async with home as opened:
        teller = InterfaceTeller(opened)
        await tell(teller)
    return teller


@pytest.mark.parametrize(("tell", "covers"), TOLD, ids=lambda told: getattr(told, "__name__", ""))
async def test_every_service_of_the_interface_tells_the_same(tell: Telling, covers: frozenset[str], tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    local = await _lines(tell, in_this_process(here))

    assert local.called == covers
    assert (await _lines(tell, behind_our_server(there))).lines == local.lines
    for name, habits in OTHERS.items():
        assert (await _lines(tell, behind_another(habits))).lines == local.lines, name


def test_every_operation_of_the_interface_is_told():
    assert frozenset().union(*(covers for _, covers in TOLD)) == OFFERED
