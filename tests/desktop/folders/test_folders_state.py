"""What the folders screen shows and may do, without a widget."""

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.folders.view_models.folders import FoldersViewModel
from patchbay.desktop.tasks import Tasks
from patchbay.domain.errors import Conflict
from patchbay.domain.executions import ExecutionState
from patchbay.domain.folders import NO_FOLDER


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def around(tasks: Tasks, backend: FakeBackend) -> Services:
    return services(tasks, backend)


@pytest.fixture
def screen(qtbot: QtBot, around: Services) -> FoldersViewModel:
    screen = FoldersViewModel(around)
    with qtbot.waitSignal(screen.detail_changed):
        screen.load()
    return screen


def names(screen: FoldersViewModel) -> list[str]:
    return [row.name for row in screen.rows]


def test_folders_stand_by_name_and_the_uncategorised_last(screen):
    assert names(screen) == ["Customers", "Engineering", "Operations", "Uncategorised"]


def test_figures_tell_drafts_and_success(screen):
    row = next(row for row in screen.rows if row.name == "Uncategorised")

    assert row.drafts == 1
    assert row.success_rate == pytest.approx(1 - 4 / 412)


def test_the_selected_folder_shows_its_flows_and_runs(qtbot, screen):
    with qtbot.waitSignal(screen.detail_changed):
        screen.select("folder-eng")

    assert {flow.id for flow in screen.detail.flows} == {"flow-issues", "flow-uptime"}
    assert len(screen.detail.runs.bars) == 14
    assert screen.detail.activity["flow-issues"].last is not None


def test_a_rename_shows_at_once_and_can_be_undone(qtbot, screen, around, backend):
    with qtbot.waitSignal(around.notices.posted) as posted:
        screen.rename("folder-cus", "  Clients ")
        at_once = names(screen)

    posted.args[0].undo()

    qtbot.waitUntil(lambda: backend.folders["folder-cus"].name == "Customers")
    assert at_once[0] == "Clients"


def test_a_refused_rename_is_reported_and_the_old_name_comes_back(qtbot, screen, around, backend):
    backend.failing["rename_folder"] = Conflict("There is a folder with this name.")

    with qtbot.waitSignal(around.notices.posted) as posted:
        screen.rename("folder-cus", "Operations")

    assert posted.args[0].severity == "error"
    qtbot.waitUntil(lambda: "Customers" in names(screen))


def test_deleting_a_folder_can_be_undone_with_its_flows(qtbot, screen, around, backend):
    with qtbot.waitSignal(around.notices.posted) as posted:
        screen.delete("folder-eng")
    gone = "folder-eng" not in backend.folders

    posted.args[0].undo()
    qtbot.waitUntil(lambda: backend.flows["flow-uptime"].folder_id is not None)

    qtbot.waitUntil(lambda: screen.row is not None and screen.row.name == "Engineering")
    assert gone
    assert posted.args[0].text == "Folder “Engineering” deleted, 2 flows moved to Uncategorised."
    assert backend.flows["flow-issues"].folder_id == screen.selected


def test_the_flows_without_folder_cannot_be_renamed_or_deleted(screen, backend):
    screen.rename(NO_FOLDER, "Anything")
    screen.delete(NO_FOLDER)

    assert not [name for name, _ in backend.calls if name in ("rename_folder", "delete_folder")]


def test_a_new_folder_gets_a_free_name_and_is_selected(qtbot, screen):
    for _ in range(2):
        with qtbot.waitSignal(screen.created) as created:
            screen.create()

    assert [name for name in names(screen) if name.startswith("New")] == ["New folder", "New folder 2"]
    assert screen.selected == created.args[0]


def test_added_flows_can_be_put_back(qtbot, screen, around, backend):
    with qtbot.waitSignal(around.notices.posted) as posted:
        screen.add_flows("folder-cus", ("flow-invoice", "flow-uptime"))
    moved = {backend.flows[key].folder_id for key in ("flow-invoice", "flow-uptime")}

    posted.args[0].undo()

    qtbot.waitUntil(lambda: backend.flows["flow-uptime"].folder_id == "folder-eng")
    assert moved == {"folder-cus"}
    assert backend.flows["flow-invoice"].folder_id is None


def test_only_flows_that_are_elsewhere_are_offered(qtbot, screen):
    screen.select("folder-eng")
    with qtbot.waitSignal(screen.candidates_loaded) as offered:
        screen.read_candidates()

    assert {flow.id for flow in offered.args[0]} == {"flow-inventory", "flow-invoice"}


def test_links_lead_to_flows_and_to_the_failures(qtbot, screen, around):
    screen.select("folder-eng")
    with qtbot.waitSignal(around.navigator.requested) as failures:
        screen.show_failures()
    with qtbot.waitSignal(around.navigator.requested) as flows:
        screen.open_in_flows()

    assert failures.args[0].tab is Tab.EXECUTIONS
    assert failures.args[0].where.states == (ExecutionState.FAILURE,)
    assert failures.args[0].where.folder_id == flows.args[0].where.folder_id == "folder-eng"


def test_the_filter_looks_into_names(screen):
    screen.filter("eng")

    assert [row.name for row in screen.shown] == ["Engineering"]
