"""The editor by keyboard and pointer: steps, forms, tests, publishing, names."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication

from patchbay import apps
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.editor.page import APP_HELP, EDITOR_HELP
from patchbay.desktop.editor.test_pane import ERROR, OUTPUT
from patchbay.desktop.editor.view_models.step_test import StepTestResult
from patchbay.desktop.kit.focus import reading_order
from patchbay.desktop.kit.theme import documentation_folder
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import Conflict, Unreachable
from patchbay.domain.flows import StepChange

K, M = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


def test_steps_are_chosen_and_moved_by_keyboard(qtbot, page, backend):
    view = page.steps.view
    view.setFocus()
    qtbot.keyClick(view, K.Key_Up)
    chosen = page.editor.step_id
    qtbot.keyClick(view, K.Key_Up, M.AltModifier)

    assert chosen == "flow-issues-3"
    qtbot.waitUntil(lambda: backend.flows["flow-issues"].steps[1].id == "flow-issues-3")
    qtbot.waitUntil(lambda: page.steps.model.rows[1].id == "flow-issues-3")
    assert page.editor.step_id == "flow-issues-3"


def test_a_step_is_dragged_below_another(qtbot, page, backend):
    view = page.steps.view
    data = QMimeData()
    data.setData("application/x-patchbay-step", b"flow-issues-2")
    place = QPointF(view.visualRect(page.steps.model.index(4)).center() + QPoint(0, 10))
    move, none = Qt.DropAction.MoveAction, Qt.KeyboardModifier.NoModifier
    view.dropEvent(QDropEvent(place, move, data, LEFT, none))

    qtbot.waitUntil(lambda: backend.flows["flow-issues"].steps[-1].id == "flow-issues-2")


def test_a_adds_a_step_and_asks_what_it_does(qtbot, page, backend):
    qtbot.keyClick(page.steps.view, K.Key_A)

    qtbot.waitUntil(lambda: len(backend.flows["flow-issues"].steps) == 6)
    qtbot.waitUntil(lambda: page.form_pane.chooser.isVisible())
    chooser = page.form_pane.chooser
    qtbot.waitUntil(lambda: chooser.model.rowCount() > 4)
    qtbot.keyClicks(chooser.search, "task")
    qtbot.waitUntil(lambda: chooser.model.rowCount() == 2)
    qtbot.keyClick(chooser.search, K.Key_Return)

    qtbot.waitUntil(lambda: page.editor.step.key == "createTask")
    qtbot.waitUntil(lambda: "content" in page.form_pane.fields.editors)


def test_del_deletes_a_step(qtbot, page, backend):
    qtbot.keyClick(page.steps.view, K.Key_Delete)

    qtbot.waitUntil(lambda: len(backend.flows["flow-issues"].steps) == 4)


def test_typing_into_a_field_is_saved(qtbot, page, backend):
    field = page.form_pane.fields.editors["description"]
    qtbot.keyClicks(field.edit, "More words")
    page.editor.draft.flush()

    qtbot.waitUntil(lambda: backend._step("flow-issues-4")[1].parameters.get("description") == "More words")
    qtbot.waitUntil(lambda: "Draft saved" in page.header.saved.text())


def test_undo_shows_the_old_value_in_the_field(qtbot, page):
    field = page.form_pane.fields.editors["description"]
    qtbot.keyClicks(field.edit, "x")

    page.editor.history.undo()

    assert page.form_pane.fields.editors["description"].value() == ""


def test_a_required_field_complains_below_itself_when_left(qtbot, page):
    field = page.form_pane.fields.editors["content"]
    field.edit.selectAll()
    qtbot.keyClick(field.edit, K.Key_Delete)
    field.focus_left.emit()

    assert page.form_pane.fields.frames["content"].error == "Enter Content."


def test_inserting_a_value_comes_after_its_field_in_the_tab_order_and_before_the_next(page):
    editors = page.form_pane.fields.editors
    content, description = editors["content"], editors["description"]
    order = reading_order(page.form_pane)

    start = order.index(content.edit)
    assert order[start : start + 4] == [content.edit, content.insert, description.edit, description.insert]


def test_f6_finds_the_parts_of_the_editor(page, tab):
    entered = []
    for area in tab.focus_areas():
        if area.widget.isVisible():
            assert area.enter()
            assert area.contains(tab.focusWidget())
            entered.append(tab.focusWidget())

    connection = page.form_pane.connection.focusProxy()
    assert entered[:4] == [page.header.back, page.steps.view, connection, page.test_pane.button]


def test_going_from_a_field_to_its_own_button_leaves_it_not_yet(qtbot, page):
    field = page.form_pane.fields.editors["content"]
    field.edit.setFocus()
    field.edit.selectAll()
    qtbot.keyClick(field.edit, K.Key_Delete)
    field.insert.setFocus(Qt.FocusReason.TabFocusReason)
    beside = page.form_pane.fields.frames["content"].error
    page.form_pane.more.setFocus(Qt.FocusReason.TabFocusReason)

    assert beside is None
    assert page.form_pane.fields.frames["content"].error == "Enter Content."


def test_reading_the_apps_again_leaves_the_fields_and_their_popups_alone(qtbot, page, around, backend):
    """The list of apps is read again whenever a connection was tested."""
    field = page.form_pane.fields.editors["content"]
    field.insert_value()
    backend.delay = 0.05
    around.apps.on_change(Change(noun=ResourceType.APP))
    with qtbot.waitSignal(around.apps.changed):
        pass
    page.editor.flow_changed.emit()

    assert page.form_pane.fields.editors["content"] is field
    assert field.picker.isVisible()


def test_each_blocker_leads_to_its_field(qtbot, page):
    page.form.set_value("content", "")
    link = next(button for button in page.bar.links if "Enter Content" in button.accessibleName())
    page.editor.select("flow-issues-1")

    link.click()

    assert page.editor.step_id == "flow-issues-4"
    qtbot.waitUntil(lambda: page.form_pane.fields.editors["content"].edit.hasFocus())
    assert page.form_pane.fields.frames["content"].error == "Enter Content."


def test_publish_is_never_grey_and_leads_to_what_is_missing(qtbot, page, backend):
    page.form.set_value("content", "")
    enabled = page.bar.publish.isEnabled()
    backend._edit_step("flow-issues-4", status="incomplete")
    qtbot.waitUntil(lambda: any("Enter Content" in link.accessibleName() for link in page.bar.links))
    for blocker in page.editor.blockers:
        if blocker.field == "content":
            page.focus_blocker(blocker)

    assert enabled
    assert page.form_pane.fields.frames["content"].error == "Enter Content."


def test_help_is_about_the_selected_step(page, backend):
    pages = {}
    for step in page.editor.flow.steps:
        page.editor.select(step.id)
        pages[step.app_key] = page.help_page

    assert pages["filter"] == "reference/conditions.md"
    assert pages["todoist"] == EDITOR_HELP
    assert all((documentation_folder() / path).is_file() for path in APP_HELP.values())
    assert APP_HELP.keys() <= {path.name for path in Path(apps.__path__[0]).iterdir()}


def test_publish_stays_where_it_is_while_the_pointer_is_on_the_bar(qtbot, page, monkeypatch):
    page.form.set_value("content", "")
    bar, blockers = page.bar, page.editor.blockers
    qtbot.waitUntil(lambda: bar.height() == bar.sizeHint().height())
    before = bar.publish.mapTo(page, QPoint())
    bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    assert len(blockers) > 1

    monkeypatch.setattr(page.editor, "blockers", blockers[:1])
    page.editor.blockers_changed.emit()
    qtbot.waitUntil(lambda: len(bar.links) == 1 and bar.height() == bar.sizeHint().height())
    stayed = bar.publish.mapTo(page, QPoint())
    bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(bar, QEvent(QEvent.Type.Leave))

    assert stayed == before
    qtbot.waitUntil(lambda: bar.publish.mapTo(page, QPoint()).y() > before.y())


def test_the_test_pane_shows_the_result(qtbot, page):
    page.test_pane.button.click()

    qtbot.waitUntil(lambda: page.test.running is None)
    assert "Success" in page.test_pane.status.text()
    assert page.test_pane.view.model.rowCount() == 2


def test_a_result_from_before_a_change_is_no_success_any_more(qtbot, page):
    page.test_pane.button.click()
    qtbot.waitUntil(lambda: page.test.running is None)

    page.editor.edit(StepChange(parameters={"projectId": "docs", "content": "x"}), label="edit")

    assert page.test_pane.status.text() == "Not tested since its last change"
    assert page.test_pane._status_state(page.test.current) is None
    page.test_pane.button.click()
    qtbot.waitUntil(lambda: "Success" in page.test_pane.status.text())


def test_a_failed_test_opens_the_error(qtbot, page, backend):
    backend.failing["test_step"] = Unreachable("No network.", todo="Check the cable.")

    page.test_pane.button.click()

    qtbot.waitUntil(lambda: page.test.running is None)
    assert page.test_pane.tabs.currentIndex() == 2
    assert page.test_pane.note.isVisible()


def test_a_later_success_leaves_the_error(page):
    step_id = page.test._editor.step_id
    page.test._results[step_id] = StepTestResult(error=Unreachable("No network."))
    page.test.finished.emit()
    assert page.test_pane.tabs.currentIndex() == ERROR

    page.test._results[step_id] = StepTestResult(page.test._editor.samples[step_id])
    page.test.changed.emit()
    assert page.test_pane.tabs.currentIndex() == OUTPUT

    page.test_pane.tabs.setCurrentIndex(ERROR)
    page.test.changed.emit()
    assert page.test_pane.tabs.currentIndex() == ERROR


def test_the_test_pane_tells_which_values_were_missing(page):
    step_id = page.test._editor.step_id
    said = "{{step.flow-issues-1.body}} had no value and was left empty."
    result = page.test._editor.samples[step_id].model_copy(update={"warnings": (said,)})

    page.test._results[step_id] = StepTestResult(result)
    page.test.changed.emit()

    assert page.test_pane.note.isVisible()
    assert page.test.warnings() == ("“body” of step 1 had no value and was left empty.",)


def test_a_connection_is_chosen_or_added_elsewhere(qtbot, page, around, backend):
    places: list[Any] = []
    around.navigator.requested.connect(places.append)
    page.form_pane.connection._choose("con-ops")
    page.form_pane.connection._choose("add a connection")

    qtbot.waitUntil(lambda: backend._step("flow-issues-4")[1].connection_id == "con-ops")
    assert places == [Place(Tab.MY_APPS, id="todoist", section="add")]


def test_the_address_of_a_webhook_can_be_copied(qtbot, tab):
    tab.edit("flow-uptime", "flow-uptime-1")
    pane = tab.editor_page.form_pane
    qtbot.waitUntil(lambda: pane.trigger.address.isVisible())

    assert pane.trigger.address.text() == "http://127.0.0.1:8787/webhooks/flows/flow-uptime"
    assert pane.trigger.test_address.text() == "http://127.0.0.1:8787/webhooks/flows/flow-uptime/test"
    assert pane.trigger.test_address.isVisible()


def test_a_webhook_without_an_address_says_what_to_do(qtbot, tab, backend):
    flow = backend.flows["flow-uptime"]
    silent = flow.steps[0].model_copy(update={"webhook_url": None})
    backend.flows["flow-uptime"] = flow.model_copy(update={"steps": (silent, *flow.steps[1:])})
    tab.edit("flow-uptime", "flow-uptime-1")
    page = tab.editor_page
    qtbot.waitUntil(lambda: page.form_pane.trigger._no_address_notice.isVisible())
    page.test._results.clear()
    page.test.changed.emit()

    before = page.test_pane._empty_label.text()
    backend.failing["test_step"] = Conflict("This webhook hasn't received a request yet.", todo="Send one.")
    page.test_pane.button.click()
    qtbot.waitUntil(page.test_pane.note.isVisible)

    assert before == "Requests can't reach this workspace. Skip the test to continue."
    assert page.test_pane.note.accessibleName() == f"This webhook hasn't received a request yet. {before}"
    assert not page.form_pane.trigger.test_address.isVisible()


def test_a_step_that_needs_no_values_does_not_ask_for_the_test_of_others(qtbot, page):
    page.editor.samples.clear()
    page.editor.context_changed.emit()
    needing = page.test_pane._subtitle.text()
    page.editor.edit(StepChange(parameters={"content": "Plain"}), label="edit", immediate=True)

    qtbot.waitUntil(lambda: page.test_pane._subtitle.text() == "")
    assert needing == "Uses values from steps that have no data yet"


def test_how_often_to_look_is_chosen(qtbot, page, backend):
    page.editor.select("flow-issues-1")
    qtbot.waitUntil(lambda: page.form_pane.trigger.interval.isVisible())

    page.form_pane.trigger.interval.set_value(5)

    qtbot.waitUntil(lambda: backend.flows["flow-issues"].execution_interval == 5)


def test_the_name_of_the_flow_is_renamed_in_the_head_by_a_click(qtbot, page, backend):
    qtbot.mouseClick(page.header.name.label, LEFT)
    page.header.name.edit.setText("Other name")
    qtbot.keyClick(page.header.name.edit, K.Key_Return)

    qtbot.waitUntil(lambda: backend.flows["flow-issues"].name == "Other name")


def test_a_step_is_renamed_by_a_click_on_its_title_and_by_its_menu(qtbot, page, backend):
    name = page.form_pane.name
    qtbot.mouseClick(name.label, LEFT)
    name.edit.setText("File the issue")
    qtbot.keyClick(name.edit, K.Key_Return)
    qtbot.waitUntil(lambda: backend._step("flow-issues-4")[1].name == "File the issue")
    menu = page.steps.menu("flow-issues-3", QPoint(0, 0))
    next(entry for entry in menu.actions() if entry.text() == "Rename").trigger()
    by_menu = (page.editor.step_id, name.editing)
    menu.close()

    assert by_menu == ("flow-issues-3", True)


def test_a_click_on_a_step_without_an_event_leads_to_the_search_and_arrow_keys_stay_in_the_list(
    qtbot, page, backend
):
    page.commands.add("flow-issues-4")
    qtbot.waitUntil(lambda: len(page.steps.model.rows) == 6)
    page.editor.select("flow-issues-4")
    view, search = page.steps.view, page.form_pane.chooser.search
    view.setFocus()
    qtbot.keyClick(view, K.Key_Down)
    by_arrow = view.hasFocus()
    qtbot.keyClick(view, K.Key_Up)

    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(page.steps.model.index(4)).center())

    assert by_arrow
    assert search.hasFocus()


def test_a_flow_that_cannot_be_edited_can_be_read_and_says_why(qtbot, tab, backend):
    backend.capabilities = Capabilities(
        unavailable={Feature.EDIT_FLOWS: "This service does not offer editing."}
    )
    tab.edit("flow-issues", "flow-issues-4")
    page = tab.editor_page
    qtbot.waitUntil(lambda: "content" in page.form_pane.fields.editors)

    page.commands.delete("flow-issues-4")
    page.commands.rename_flow("Other")

    assert page.form_pane._read_only_notice.isVisible()
    assert not page.form_pane.fields.isEnabled()
    assert not [name for name, _ in backend.calls if name in ("delete_step", "update_flow")]


def test_a_note_about_a_test_does_not_make_the_window_taller(qtbot, tab, page):
    tab.resize(1024, 564)
    page.editor.edit(StepChange(parameters={"changed": "since"}), label="edit", immediate=True)
    qtbot.waitUntil(page.test_pane.note.isVisible)

    assert page.minimumSizeHint().height() < 564
    assert tab.height() == 564
