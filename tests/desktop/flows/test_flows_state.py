"""The Flows list without widgets: what it shows, filters and does."""

import pytest

from patchbay.desktop.core.names import by_name
from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.flows.view_models.flow_list import (
    FlowsFilter,
    FlowSort,
    FlowsViewModel,
    SidebarPlace,
    row_details,
)
from patchbay.desktop.flows.view_models.folders import FlowFolders
from patchbay.domain.base import AppKey, ConnectionId, FolderId
from patchbay.domain.errors import Unreachable
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import DEFAULT_FLOW_NAME, FlowStatus, StepStatus, StepTestStatus

ISSUES = "flow-issues"
UPTIME = "flow-uptime"
INVENTORY = "flow-inventory"
INVOICE = "flow-invoice"


def ids(flows: FlowsViewModel) -> list[str]:
    return [row.id for row in flows.rows]


def test_published_flows_come_first_and_then_by_name(flows):
    assert ids(flows) == [INVENTORY, ISSUES, UPTIME, INVOICE]
    assert (flows.total, flows.published) == (4, 3)


def test_the_second_line_says_what_needs_work(flows):
    lines = {row.id: [piece.text for piece in row.pieces] for row in flows.rows}

    assert lines[ISSUES] == ["Todoist needs reconnecting", "5 steps", "unpublished edits"]
    assert lines[UPTIME] == ["Engineering", "4 steps"]
    assert lines[INVOICE] == ["Uncategorised", "2 steps", "2 steps not tested"]


def test_steps_that_only_lack_a_test_are_not_called_incomplete(backend):
    flow = backend.flows[INVOICE]
    chosen = {"app_key": "todoist", "key": "createTask", "status": StepStatus.INCOMPLETE}
    first, second = (step.model_copy(update=chosen) for step in flow.steps)
    failed = second.model_copy(update={"tested": StepTestStatus.FAILED})

    def text(*steps):
        return [
            piece.text for piece in row_details(flow.model_copy(update={"steps": steps}), None, "Folder")
        ][2:]

    assert text(first) == ["incomplete: needs an action", "1 step not tested"]
    assert text(first, second) == ["2 steps not tested"]
    assert text(first, failed) == ["1 step not tested", "1 failed test"]
    assert text(first, second.model_copy(update={"key": None})) == [
        "1 incomplete step",
        "1 step not tested",
    ]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (FlowsFilter(text="STOCK"), []),
        (FlowsFilter(text="inv"), [INVENTORY, INVOICE]),
        (FlowsFilter(status=FlowStatus.DRAFT), [INVOICE]),
        (FlowsFilter(app_key=AppKey("webhook")), [UPTIME]),
        (FlowsFilter(place=SidebarPlace.ATTENTION), [ISSUES]),
        (FlowsFilter(place=SidebarPlace.UNCATEGORISED), [INVOICE]),
        (FlowsFilter(place="folder-eng"), [ISSUES, UPTIME]),
        (FlowsFilter(connection_id=ConnectionId("con-gh")), [ISSUES, INVOICE]),
        (FlowsFilter(result=ExecutionState.RUNNING), [ISSUES]),
    ],
)
def test_conditions_narrow_the_list(flows, where, found):
    flows.show(where)

    assert ids(flows) == found


def test_a_filter_that_finds_nothing_is_not_the_same_as_no_flows(flows):
    flows.update_filter(text="nothing like this")

    assert flows.status is ListStatus.NO_MATCH


def test_sorting_by_a_column_twice_turns_it_round(flows):
    flows.sort_by(FlowSort.NAME)
    once = ids(flows)
    flows.sort_by(FlowSort.NAME)

    assert once == [INVENTORY, INVOICE, ISSUES, UPTIME]
    assert ids(flows) == once[::-1]


def test_selection_follows_the_rows_that_are_shown(flows):
    flows.select([ISSUES, INVOICE])

    flows.update_filter(status=FlowStatus.DRAFT)

    assert flows.selected == (INVOICE,)


def test_an_error_at_first_load_is_a_state_of_the_list(qtbot, around, backend):
    backend.failing["list_flows"] = Unreachable("The service does not answer.")
    flows = FlowsViewModel(around)

    flows.load()

    qtbot.waitUntil(lambda: flows.status is ListStatus.FAILED)
    assert flows.error is not None


def test_an_error_at_a_refresh_keeps_the_rows(qtbot, flows, backend, notices):
    backend.failing["list_flows"] = Unreachable("The service does not answer.")

    flows.refresh()

    qtbot.waitUntil(lambda: len(notices) == 1)
    assert flows.status is ListStatus.READY


def test_a_change_made_elsewhere_arrives_by_itself(qtbot, flows, backend, around):
    work = backend.update_flow(ISSUES, name="Renamed elsewhere")
    around.tasks.run(flows, work)

    qtbot.waitUntil(lambda: flows.flow(ISSUES).name == "Renamed elsewhere")


def test_unpublishing_is_busy_until_the_answer_is_there(qtbot, flows, commands):
    commands.set_published((UPTIME,), False)
    busy = next(row.busy for row in flows.rows if row.id == UPTIME)

    qtbot.waitUntil(lambda: flows.flow(UPTIME).active is False)
    qtbot.waitUntil(lambda: not any(row.busy for row in flows.rows))
    assert busy


def test_a_flow_that_is_not_ready_hands_over_its_blockers(qtbot, commands):
    with qtbot.waitSignal(commands.publish_blocked) as refused:
        commands.set_published((INVOICE,), True)

    assert refused.args[0].flow_id == INVOICE
    assert len(refused.args[0].blockers) == 2


def test_a_flow_without_a_name_gets_one_when_the_list_publishes_it(qtbot, flows, commands, backend):
    flow = backend.flows[UPTIME]
    ready = tuple(step.model_copy(update={"status": StepStatus.COMPLETED}) for step in flow.steps)
    unnamed = {"steps": ready, "active": False, "name": DEFAULT_FLOW_NAME}
    backend.flows[UPTIME] = flow.model_copy(update=unnamed)
    flows.put(backend.flows[UPTIME])

    commands.set_published((UPTIME,), True)

    qtbot.waitUntil(lambda: backend.flows[UPTIME].name == "Catch raw webhook → Ring the phone")


def test_publishing_several_tells_how_many_went_wrong(qtbot, flows, commands, backend, notices):
    ready = tuple(
        step.model_copy(update={"status": StepStatus.COMPLETED}) for step in backend.flows[UPTIME].steps
    )
    backend.flows[UPTIME] = backend.flows[UPTIME].model_copy(update={"steps": ready, "active": False})
    flows.put(backend.flows[UPTIME])

    commands.set_published((UPTIME, INVOICE), True)

    qtbot.waitUntil(lambda: len(notices) == 1)
    assert notices[0].text.startswith("1 flow published, 1 failed.")


def test_a_flow_that_was_changed_since_the_list_showed_it_is_not_published(
    qtbot, flows, commands, backend, notices
):
    shown = backend.flows[UPTIME].model_copy(update={"active": False})
    backend.flows[UPTIME] = shown.model_copy(update={"updated_at": shown.updated_at + 1})
    flows.put(shown)

    commands.set_published((UPTIME,), True)

    qtbot.waitUntil(lambda: len(notices) == 1)
    assert "changed since you opened it" in notices[0].text
    assert not backend.flows[UPTIME].active


def test_moving_is_shown_at_once_and_can_be_undone(qtbot, flows, commands, backend, notices):
    commands.move((ISSUES, INVOICE), "folder-ops")
    shown = flows.flow(INVOICE).folder_id

    qtbot.waitUntil(lambda: len(notices) == 1)
    notices[0].undo()

    assert shown == "folder-ops"
    assert notices[0].text == "2 flows moved to Operations"
    qtbot.waitUntil(lambda: backend.flows[ISSUES].folder_id == "folder-eng")
    qtbot.waitUntil(lambda: backend.flows[INVOICE].folder_id is None)


def test_a_refused_move_goes_back(qtbot, flows, commands, backend, notices):
    backend.failing["move_flow"] = Unreachable("The service does not answer.")

    commands.move((INVOICE,), "folder-ops")

    qtbot.waitUntil(lambda: len(notices) == 1)
    assert flows.flow(INVOICE).folder_id is None


def test_a_deleted_flow_comes_back_published_when_undone(qtbot, flows, commands, backend, notices):
    commands.delete((INVENTORY,))
    qtbot.waitUntil(lambda: flows.flow(INVENTORY) is None)

    notices[0].undo()

    qtbot.waitUntil(lambda: INVENTORY in backend.flows)
    qtbot.waitUntil(lambda: any(name == "publish_flow" for name, _ in backend.calls))


@pytest.mark.parametrize(
    "held", [{"has_unpublished_edits": True}, {"paused_at": 1, "paused_reason": "By hand"}]
)
def test_undoing_a_deletion_publishes_no_edits_and_ends_no_pause(
    qtbot, flows, commands, backend, notices, held
):
    before = backend.flows["flow-issues"].model_copy(update=held)
    backend.flows["flow-issues"] = before
    commands.delete(("flow-issues",))
    qtbot.waitUntil(lambda: len(notices) == 1)
    notices[0].undo()
    qtbot.waitUntil(lambda: len(notices) == 2)

    assert "publish_flow" not in [name for name, _ in backend.calls]
    assert notices[1].text.startswith(f"Restored “{before.name}” as a draft")


def test_renaming_can_be_undone(qtbot, flows, commands, backend, notices):
    commands.rename(ISSUES, "  Issues to tasks ")
    qtbot.waitUntil(lambda: backend.flows[ISSUES].name == "Issues to tasks")
    qtbot.waitUntil(lambda: len(notices) == 1)

    notices[0].undo()

    qtbot.waitUntil(lambda: backend.flows[ISSUES].name == "New GitHub issue → Todoist task")


def test_a_new_flow_opens_in_the_folder_that_is_shown(qtbot, commands, backend):
    with qtbot.waitSignal(commands.opened) as opened:
        commands.create("folder-eng")

    assert backend.flows[opened.args[0]].folder_id == "folder-eng"


def test_duplicating_can_be_undone(qtbot, flows, commands, backend, notices):
    commands.duplicate((ISSUES,))
    qtbot.waitUntil(lambda: len(notices) == 1)

    notices[0].undo()

    qtbot.waitUntil(lambda: not any(flow.name.startswith("Copy of") for flow in backend.flows.values()))


def test_folders_are_counted_whatever_the_filter_says(flows, around):
    folders = FlowFolders(around, flows, flows)
    flows.update_filter(text="inventory")

    counts = {entry.label: entry.count for entry in (*folders.fixed_entries(), *folders.folders())}

    assert counts == {
        "All flows": 4,
        "Needs attention": 1,
        "Uncategorised": 1,
        "Customers": 0,
        "Engineering": 2,
        "Operations": 1,
    }


def test_a_deleted_folder_comes_back_with_its_flows(qtbot, flows, around, backend, notices):
    folders = FlowFolders(around, flows, flows)
    folders.delete(FolderId("folder-eng"))
    qtbot.waitUntil(lambda: len(notices) == 1)
    emptied = backend.flows[ISSUES].folder_id

    notices[0].undo()

    def back() -> bool:
        made = backend.flows[UPTIME].folder_id
        return made is not None and backend.folders[made].name == "Engineering"

    assert emptied is None
    qtbot.waitUntil(back)


def test_deleting_the_folder_that_is_shown_falls_back_to_all(qtbot, flows, around):
    folders = FlowFolders(around, flows, flows)
    flows.update_filter(place="folder-ops")

    folders.delete(FolderId("folder-ops"))

    qtbot.waitUntil(lambda: flows.where.place == SidebarPlace.ALL)
    assert len(flows.rows) == 4


def test_names_are_ordered_as_people_count():
    huge = "Orders " + "9" * 5000
    names = [huge, "Orders 40", "orders 5", "Orders 4", "Orders 39", "2 Orders", "Orders", "Orders 05b"]

    assert sorted(names, key=by_name) == [
        "2 Orders",
        "Orders",
        "Orders 4",
        "orders 5",
        "Orders 05b",
        "Orders 39",
        "Orders 40",
        huge,
    ]
