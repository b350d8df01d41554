"""The list of flows by keyboard and pointer."""

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.flows.flow_rows import FLOW_MIME, check_rect, flow_mime, menu_rect, switch_rect
from patchbay.desktop.flows.list_toolbar import BulkActionBar
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import FlowId
from patchbay.domain.errors import Unreachable
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.notification_settings import NotifyOnFailure
from patchbay.tour.flows import flow_scenes

K, M = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


def spot(tab: FlowsTab, flow_id: str, part) -> QPoint:
    page = tab.list_page
    row = page.view.visualRect(page.model.index(page.model.row_of(FlowId(flow_id))))
    return part(QRectF(row)).center().toPoint()


def click(qtbot: QtBot, tab: FlowsTab, flow_id: str, part) -> None:
    qtbot.mouseClick(tab.list_page.view.viewport(), LEFT, pos=spot(tab, flow_id, part))


def test_the_models_hold_the_rules_of_qt(qtmodeltester: ModelTester, tab, page):
    for model in (tab.list_page.model, tab.list_page.side.entries, page.steps.model):
        qtmodeltester.check(model)


def test_check_boxes_select_and_the_bar_follows(qtbot, tab):
    click(qtbot, tab, "flow-issues", check_rect)
    click(qtbot, tab, "flow-invoice", check_rect)

    assert tab.list_page.flows.selected == ("flow-issues", "flow-invoice")
    assert tab.list_page.bulk.isVisible()

    qtbot.keyClick(tab.list_page.view, K.Key_Escape)
    assert not tab.list_page.bulk.isVisible()


def test_commands_without_room_in_the_bar_are_in_its_menu(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    bar = BulkActionBar(window)
    requested: list[str] = []
    bar.command_requested.connect(requested.append)
    bar.show_selection((FlowStatus.PUBLISHED,))
    bar.resize(bar.minimumSizeHint())
    folded = {action.text(): action for action in bar.menu().actions()}
    folded["Duplicate"].trigger()

    assert list(folded) == ["Unpublish", "Pause", "Duplicate", "Export…"]
    assert bar.more.isVisible()
    assert requested == ["duplicate"]

    bar.resize(10 * bar.width(), bar.height())
    assert not bar.more.isVisible()
    assert not bar.menu().actions()
    assert bar.buttons["export"].isVisible()
    assert not bar.buttons["resume"].isVisible()


def test_the_bar_opens_the_selected_flow_but_only_a_single_one(qtbot, tab):
    opened: list[str] = []
    tab.list_page.opened.connect(opened.append)
    click(qtbot, tab, "flow-issues", check_rect)

    tab.list_page.bulk.buttons["open"].click()
    click(qtbot, tab, "flow-invoice", check_rect)

    assert opened == ["flow-issues"]
    assert not tab.list_page.bulk.buttons["open"].isEnabled()
    assert tab.list_page.bulk.buttons["open"].toolTip() == "Select one flow to open it."


def test_enter_in_the_filter_opens_the_only_flow_that_matches(qtbot, tab):
    opened: list[str] = []
    tab.list_page.opened.connect(opened.append)
    search = tab.list_page.toolbar.search
    row = next(row for row in tab.list_page.flows.rows if row.id == "flow-invoice")

    qtbot.keyClick(search, K.Key_Return)
    assert opened == []

    search.setText(row.flow.name)
    qtbot.keyClick(search, K.Key_Return)
    assert opened == ["flow-invoice"]


def test_space_selects_and_arrows_leave_the_selection_alone(qtbot, tab):
    view = tab.list_page.view
    qtbot.keyClick(view, K.Key_Space)
    qtbot.keyClick(view, K.Key_Down)
    qtbot.keyClick(view, K.Key_Space)

    assert len(tab.list_page.flows.selected) == 2


def test_selection_survives_a_refresh(qtbot, tab, backend, around):
    tab.list_page.flows.select(["flow-uptime"])
    around.tasks.run(tab, backend.update_flow("flow-invoice", name="AAA"))

    qtbot.waitUntil(lambda: tab.list_page.flows.flow("flow-invoice").name == "AAA")

    assert tab.list_page.flows.selected == ("flow-uptime",)


def test_the_switch_unpublishes(qtbot, tab, backend):
    click(qtbot, tab, "flow-uptime", switch_rect)

    qtbot.waitUntil(lambda: backend.flows["flow-uptime"].active is False)


def test_the_switch_of_an_unfinished_flow_opens_it_at_what_is_missing(qtbot, tab):
    click(qtbot, tab, "flow-invoice", switch_rect)

    qtbot.waitUntil(lambda: tab.editing and tab.editor_page.editor.flow is not None)
    qtbot.waitUntil(lambda: bool(tab.editor_page.bar.links))
    assert tab.editor_page.editor.step_id == "flow-invoice-1"


def test_the_row_menu_has_every_command(qtbot, tab):
    page = tab.list_page
    menu = page.flow_actions.menu(("flow-issues",), QPoint(0, 0), open_flow=tab.edit, rename=page.view.rename)
    words = [action.text() for action in menu.actions() if action.text()]
    menu.close()

    assert words == [
        "Open",
        "Run now",
        "Flow settings…",
        "Notifications",
        "Unpublish",
        "Pause",
        "Rename",
        "Move to…",
        "Duplicate",
        "Export…",
        "Save as template",
        "Delete…",
    ]
    assert menu_rect(QRectF(0, 0, 1000, 52)).right() < 1000


def test_the_row_menu_says_which_failures_notify(tab):
    page, preferences = tab.list_page, tab.list_page.flow_actions._services.notifications
    preferences.set_for_flow("flow-issues", NotifyOnFailure.NEVER)
    menu = page.flow_actions.menu(("flow-issues",), QPoint(0, 0), open_flow=tab.edit, rename=page.view.rename)
    [choices] = [action.menu() for action in menu.actions() if action.text() == "Notifications"]
    entries = {entry.text(): entry for entry in choices.actions()}
    menu.close()

    entries["Every failure"].trigger()

    assert [text for text, entry in entries.items() if entry.isChecked()] == ["Every failure"]
    assert list(entries) == ["Like all flows (first failure)", "Every failure", "First failure", "Never"]
    assert preferences.value.for_flow("flow-issues") is NotifyOnFailure.ALWAYS


def test_enter_opens_and_alt_left_returns_to_the_same_row(qtbot, tab):
    view = tab.list_page.view
    qtbot.keyClick(view, K.Key_Down)
    chosen = view.current_id()

    qtbot.keyClick(view, K.Key_Return)
    qtbot.waitUntil(lambda: tab.editor_page.editor.flow is not None)
    opened = tab.editor_page.editor.flow.id
    tab.editor_page.leave()

    assert opened == chosen
    assert not tab.editing
    assert view.current_id() == chosen


def test_f2_renames_in_place(qtbot, tab, backend):
    view = tab.list_page.view
    qtbot.keyClick(view, K.Key_Down)
    qtbot.keyClick(view, K.Key_F2)
    line = view.viewport().findChild(QLineEdit)
    line.selectAll()
    qtbot.keyClicks(line, "Issues")
    qtbot.keyClick(line, K.Key_Return)

    qtbot.waitUntil(lambda: backend.flows["flow-issues"].name == "Issues")
    assert not tab.editing


def test_m_moves_to_a_chosen_folder(qtbot, tab, backend):
    qtbot.keyClick(tab.list_page.view, K.Key_Down)
    qtbot.keyClick(tab.list_page.view, K.Key_M)
    popup = tab.list_page.flow_actions.popup
    assert popup.list.currentIndex().data() == "Engineering", "opens on the folder the flow is in"
    qtbot.keyClick(popup.list, K.Key_Home)
    qtbot.keyClick(popup.list, K.Key_Down)
    qtbot.keyClick(popup.list, K.Key_Return)

    qtbot.waitUntil(lambda: backend.flows["flow-issues"].folder_id == "folder-cus")


def test_delete_asks_with_cancel_in_focus_and_can_be_undone(qtbot, tab, backend, notices):
    qtbot.keyClick(tab.list_page.view, K.Key_Delete)
    dialog = tab.list_page.flow_actions.dialog
    buttons = {button.text(): button for button in dialog.findChildren(QAbstractButton)}
    cancel_first = dialog.focusWidget() is buttons["Cancel"]
    qtbot.waitUntil(lambda: any(name == "list_executions" for name, _ in backend.calls))

    buttons["Delete flow"].click()
    qtbot.waitUntil(lambda: len(notices) == 1)
    notices[0].undo()

    assert cancel_first
    qtbot.waitUntil(lambda: "flow-issues" in backend.flows)


def test_ctrl_n_makes_a_flow_and_opens_it(qtbot, tab, backend):
    tab.list_page.create_flow()

    qtbot.waitUntil(lambda: tab.editing and tab.editor_page.editor.flow is not None)
    assert tab.editor_page.form_pane.chooser.isVisible()


def test_a_new_flow_is_in_no_folder_where_flows_cannot_be_put_into_one(qtbot, tab, backend):
    tab.list_page.flows.update_filter(place="folder-ops")
    backend.capabilities = Capabilities(unavailable={Feature.EDIT_FLOWS: "Its flows cannot be edited."})
    before = set(backend.flows)

    tab.list_page.create_flow()

    qtbot.waitUntil(lambda: set(backend.flows) != before)
    (made,) = set(backend.flows) - before
    assert backend.flows[made].folder_id is None


def test_flows_are_dropped_on_a_folder(qtbot, tab, backend):
    side = tab.list_page.side
    data = flow_mime((FlowId("flow-issues"), FlowId("flow-invoice")))
    place = QPointF(side.visualRect(side.entries.index(side.entries.row_of("folder-ops"))).center())
    none, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    move = Qt.DropAction.MoveAction
    side.dragEnterEvent(QDragEnterEvent(place.toPoint(), move, data, buttons, none))
    side.dropEvent(QDropEvent(place, move, data, buttons, none))

    assert data.hasFormat(FLOW_MIME)
    qtbot.waitUntil(lambda: backend.flows["flow-invoice"].folder_id == "folder-ops")


def test_a_folder_is_made_and_named_in_place(qtbot, tab, backend):
    side = tab.list_page.side
    side.new_requested.emit()
    qtbot.waitUntil(lambda: side.viewport().findChild(QLineEdit) is not None)
    line = side.viewport().findChild(QLineEdit)
    line.selectAll()
    qtbot.keyClicks(line, "Archive")
    qtbot.keyClick(line, K.Key_Return)

    qtbot.waitUntil(lambda: "Archive" in [folder.name for folder in backend.folders.values()])


def test_choosing_a_folder_narrows_the_list(qtbot, tab):
    side = tab.list_page.side
    side.setCurrentIndex(side.entries.index(side.entries.row_of("folder-ops")))

    assert [row.id for row in tab.list_page.flows.rows] == ["flow-inventory"]
    shown = [label.text() for label in tab.list_page.toolbar.findChildren(QLabel)]
    assert f"1 of {tab.list_page.flows.total} flows" in shown


def test_typing_in_the_filter_narrows_and_no_match_can_be_cleared(qtbot, tab):
    tab.focus_filter()
    qtbot.keyClicks(tab.list_page.toolbar.search, "zzz")
    qtbot.waitUntil(lambda: tab.list_page.stack.page.kind == "no_match")

    tab.list_page.flows.clear_filter()

    assert tab.list_page.stack.is_showing_rows


def _suggestions(tab):
    buttons = tab.list_page.stack.page.findChildren(QAbstractButton)
    return [button.text() for button in buttons if button.isVisibleTo(tab) and button.text()]


def test_an_empty_workspace_invites(qtbot, around, backend):
    backend.flows.clear()
    tab = FlowsTab(around)
    qtbot.addWidget(tab)
    tab.activate()

    qtbot.waitUntil(lambda: tab.list_page.stack.page.kind == "empty")
    assert tab.list_page.stack.page.title == "No flows yet"
    qtbot.waitUntil(lambda: _suggestions(tab) == ["New flow", "Choose a template", "Connect an app"])


def test_an_unreachable_workspace_says_so(qtbot, around, backend):
    backend.failing["list_flows"] = Unreachable("flows.example.org does not answer.")
    tab = FlowsTab(around)
    qtbot.addWidget(tab)
    tab.activate()

    qtbot.waitUntil(lambda: tab.list_page.stack.page.kind == "error")


def test_a_file_is_previewed_before_it_is_imported(qtbot, tab, tmp_path, backend):
    path = tmp_path / "flow.json"
    tab.list_page.files.export(("flow-uptime",), path)
    qtbot.waitUntil(path.exists)

    tab.list_page.flow_actions.read_file(path)
    qtbot.waitUntil(lambda: tab.list_page.flow_actions.dialog is not None)
    before = len(backend.flows)
    tab.list_page.flow_actions.dialog.import_button.click()

    qtbot.waitUntil(lambda: len(backend.flows) == before + 1)
    qtbot.waitUntil(lambda: tab.editing)


def test_places_lead_to_the_editor_the_list_and_a_new_flow(qtbot, tab):
    tab.go(Place(Tab.FLOWS, id="flow-uptime", section="editor"))
    editing = tab.editing
    tab.go(Place(Tab.FLOWS, where=FlowFilter(status=FlowStatus.DRAFT)))
    filtered = [row.id for row in tab.list_page.flows.rows]
    tab.go(Place(Tab.FLOWS, section="new"))

    assert editing
    assert filtered == ["flow-invoice"]
    qtbot.waitUntil(lambda: tab.editing)


def test_everything_that_takes_the_focus_has_a_name(tab, page):
    nameless = [
        widget
        for widget in tab.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
    ]

    assert nameless == []


def test_the_scenes_of_the_tour_get_ready(qtbot, tab):
    for scene in flow_scenes(tab):
        scene.prepare()
        qtbot.waitUntil(scene.ready)
        if scene.target is not None:
            assert scene.target().isVisible()
        if scene.leave is not None:
            scene.leave()
