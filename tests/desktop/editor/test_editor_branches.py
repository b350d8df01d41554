"""Branches and loops in the editor: adding, moving, copying, deleting, setting up."""

from time import thread_time
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidget
from pytestqt.qtbot import QtBot
from tests.support.fake_tree_flow import LARGE, TREE, large_flow, tree_flow
from tests.support.forms import long_form
from tests.support.stall import FROZEN_MS

from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.page import EditorPage
from patchbay.desktop.editor.step_painting import fold_rect, plus_rect
from patchbay.desktop.editor.step_rows import RowKind
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.domain.base import StepId
from patchbay.domain.blockers import Blocker
from patchbay.domain.flows import StructuralType
from patchbay.domain.step_policy import StepPolicy
from patchbay.domain.step_tree import always_matches

K, M = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def tab(qtbot: QtBot, around: Services, backend) -> FlowsTab:
    backend.flows[TREE] = tree_flow()
    made = FlowsTab(around)
    qtbot.addWidget(made)
    made.resize(1280, 1100)
    made.show()
    made.activate()
    return made


@pytest.fixture
def page(qtbot: QtBot, tab: FlowsTab) -> EditorPage:
    """The editor on the second step of the loop."""
    tab.edit(TREE, StepId("t-mail"))
    made = tab.editor_page
    qtbot.waitUntil(lambda: "message" in made.form_pane.fields.editors)
    return made


def order(backend) -> list[str]:
    return [step.id for step in backend.flows[TREE].steps]


def parent(backend, step_id: str) -> StepId | None:
    return backend.flows[TREE].step(StepId(step_id)).parent_step_id


def select(qtbot: QtBot, page: EditorPage, step_id: str) -> None:
    page.editor.select(StepId(step_id))
    qtbot.waitUntil(lambda: page.editor.draft.saved)


def saved(qtbot: QtBot, page: EditorPage) -> None:
    qtbot.waitUntil(lambda: page.editor.draft.saved)


# The list


def test_steps_stand_under_what_holds_them_with_a_line_to_add_at_each_end(page):
    rows = [(row.kind, row.depth, row.id) for row in page.steps.model.rows]

    assert rows == [
        (RowKind.STEP, 0, "t-new"),
        (RowKind.STEP, 0, "t-paths"),
        (RowKind.BRANCH, 1, "t-urgent"),
        (RowKind.STEP, 2, "t-tell"),
        (RowKind.ADD, 2, "t-urgent"),
        (RowKind.BRANCH, 1, "t-labels"),
        (RowKind.STEP, 2, "t-each"),
        (RowKind.STEP, 3, "t-task"),
        (RowKind.STEP, 3, "t-mail"),
        (RowKind.ADD, 3, "t-each"),
        (RowKind.ADD, 2, "t-labels"),
        (RowKind.BRANCH, 1, "t-other"),
        (RowKind.ADD, 2, "t-other"),
        (RowKind.ADD, 1, "t-paths"),
        (RowKind.STEP, 0, "t-log"),
    ]


def test_a_branch_says_when_it_is_taken(page):
    row = page.steps.model.rows[page.steps.model.row_of("t-urgent")]

    assert (row.title, row.detail) == ("3. Urgent", "title contains Crash and number > 3")
    assert "level 2" in row.accessible_text


def test_folding_hides_what_is_inside_and_a_blocker_inside_unfolds_it(qtbot, page):
    view = page.steps.view
    index = page.steps.model.index(page.steps.model.row_of("t-paths"))
    row = page.steps.model.row(index)
    chevron = fold_rect(view.visualRect(index).toRectF(), row).center().toPoint()
    qtbot.mouseClick(view.viewport(), LEFT, pos=chevron)
    folded = [row.id for row in page.steps.model.rows]
    detail = page.steps.model.rows[1].detail
    page.editor.focus(Blocker(step_id=StepId("t-task"), position=7, field="content", reason="Enter Content"))

    assert folded == ["t-new", "t-paths", "t-log"]
    assert detail == "7 steps inside"
    assert page.steps.model.row_of("t-task") > 0
    assert page.editor.step_id == "t-task"


def test_left_and_right_fold_and_unfold(qtbot, page):
    select(qtbot, page, "t-each")
    page.steps.view.setFocus()
    qtbot.keyClick(page.steps.view, K.Key_Left)
    folded = page.steps.model.row_of("t-mail")
    qtbot.keyClick(page.steps.view, K.Key_Right)

    assert folded == -1
    assert page.steps.model.row_of("t-mail") > 0


# Adding


def test_new_paths_come_with_two_branches(qtbot, page, backend):
    page.commands.add("t-log", kind=StructuralType.PATHS)

    qtbot.waitUntil(lambda: len(order(backend)) == 13)
    saved(qtbot, page)
    assert page.editor.step.structural_type is StructuralType.PATHS
    branches = page.editor.tree.children_of(page.editor.step_id)
    assert [always_matches(branch) for branch in branches] == [False, True]
    assert page.form_pane.structure.paths.isVisible()


def test_the_plus_offers_step_paths_and_loop(qtbot, page, backend):
    view, model = page.steps.view, page.steps.model
    index = model.index(model.row_of("t-task"))
    plus = plus_rect(view.visualRect(index).toRectF(), model.row(index)).center().toPoint()
    qtbot.mouseClick(view.viewport(), LEFT, pos=plus)
    menu = next(item for item in page.steps.findChildren(QMenu) if item.isVisible())
    words = [action.text() for action in menu.actions()]
    menu.actions()[2].trigger()
    menu.close()

    assert words == ["Step", "Branches", "For each item"]
    qtbot.waitUntil(lambda: len(order(backend)) == 11)
    saved(qtbot, page)
    assert page.editor.step.structural_type is StructuralType.EACH
    assert page.editor.step.parent_step_id == "t-each"
    assert page.editor.step.position == 8


def test_a_adds_inside_a_branch_and_behind_everything_else(qtbot, page, backend):
    select(qtbot, page, "t-other")
    qtbot.keyClick(page.steps.view, K.Key_A)
    qtbot.waitUntil(lambda: len(order(backend)) == 11)
    saved(qtbot, page)

    assert page.editor.step.parent_step_id == "t-other"


def test_the_line_of_paths_adds_a_path_and_that_of_a_loop_asks_what(qtbot, page, backend):
    rows = page.steps.model.rows
    path = next(row for row in rows if row.kind is RowKind.ADD and row.id == "t-paths")
    page.steps._add_at_end(path, page.steps.pos())
    qtbot.waitUntil(lambda: len(order(backend)) == 11)
    saved(qtbot, page)

    assert page.editor.step.structural_type is StructuralType.BRANCH
    assert page.editor.step.parent_step_id == "t-paths"


# Moving


@pytest.mark.parametrize(
    ("step_id", "key", "holder"),
    [
        ("t-mail", K.Key_Up, "t-each"),
        pytest.param("t-mail", K.Key_Left, "t-labels", marks=long_form),
        ("t-log", K.Key_Right, "t-other"),
        pytest.param("t-urgent", K.Key_Down, "t-paths", marks=long_form),
    ],
)
def test_alt_and_an_arrow_move_a_step_and_undo_brings_it_back(qtbot, page, backend, step_id, key, holder):
    select(qtbot, page, step_id)
    before = order(backend)
    page.steps.view.setFocus()
    qtbot.keyClick(page.steps.view, key, M.AltModifier)
    qtbot.waitUntil(lambda: parent(backend, step_id) == holder and page.editor.draft.saved)
    chosen = page.editor.step_id
    page.editor.history.undo()

    assert chosen == step_id
    qtbot.waitUntil(lambda: order(backend) == before)


def test_alt_left_in_a_tree_never_leaves_the_editor(qtbot, page):
    select(qtbot, page, "t-log")
    page.steps.view.setFocus()
    left = []
    page.closed.connect(lambda: left.append(True))
    qtbot.keyClick(page.steps.view, K.Key_Left, M.AltModifier)

    assert not left


def drop(page: EditorPage, step_id: str, before: int) -> None:
    view, model = page.steps.view, page.steps.model
    data = QMimeData()
    data.setData("application/x-patchbay-step", step_id.encode())
    place = QPointF(view.visualRect(model.index(before)).topLeft())
    move, none = Qt.DropAction.MoveAction, Qt.KeyboardModifier.NoModifier
    view.dropEvent(QDropEvent(place, move, data, LEFT, none))


def test_a_step_is_dragged_into_a_loop(qtbot, page, backend):
    rows = page.steps.model.rows
    line = next(at for at, row in enumerate(rows) if row.kind is RowKind.ADD and row.id == "t-each")
    drop(page, "t-log", line)

    qtbot.waitUntil(lambda: parent(backend, "t-log") == "t-each")
    assert order(backend)[6:9] == ["t-task", "t-mail", "t-log"]


def test_a_loop_is_dragged_out_with_all_it_holds(qtbot, page, backend):
    drop(page, "t-each", page.steps.model.row_of("t-log"))

    qtbot.waitUntil(lambda: parent(backend, "t-each") is None)
    assert order(backend)[-4:] == ["t-each", "t-task", "t-mail", "t-log"]


def test_a_path_can_only_be_dropped_among_the_paths(qtbot, page, backend):
    drop(page, "t-urgent", page.steps.model.row_of("t-log"))

    qtbot.waitUntil(lambda: order(backend).index("t-urgent") > order(backend).index("t-other"))
    assert parent(backend, "t-urgent") == "t-paths"


# Deleting and copying


def test_a_whole_subtree_is_deleted_and_comes_back(qtbot, page, backend, notices):
    before = order(backend)
    select(qtbot, page, "t-paths")
    qtbot.keyClick(page.steps.view, K.Key_Delete)
    qtbot.waitUntil(lambda: order(backend) == ["t-new", "t-log"] and len(notices) == 1)
    chosen = page.editor.step_id
    notices[-1].undo()

    assert notices[-1].text == "“Branches” deleted with the 7 steps in it"
    assert chosen == "t-log"
    qtbot.waitUntil(lambda: order(backend) == before)


def test_a_copy_holds_copies_that_refer_to_each_other(qtbot, page, backend):
    page.commands.duplicate("t-paths")
    qtbot.waitUntil(lambda: len(order(backend)) == 18)
    saved(qtbot, page)
    tree = page.editor.tree
    copy = page.editor.step
    original = tree.subtree("t-paths")
    made = tree.subtree(copy.id)

    assert [step.structural_type for step in made] == [step.structural_type for step in original]
    assert [step.name for step in made] == [step.name for step in original]
    each, _, mail = made[4:7]
    assert f"{{{{step.{each.id}.item}}}}" in mail.parameters["message"]
    assert always_matches(made[-1])


def test_a_copied_path_stands_behind_its_original(qtbot, page, backend):
    page.commands.duplicate("t-urgent")
    qtbot.waitUntil(lambda: len(order(backend)) == 12)
    saved(qtbot, page)
    branches = page.editor.tree.children_of("t-paths")

    assert [branch.name for branch in branches] == ["Urgent", "Urgent", "With labels", None]


# Setting up


def test_which_paths_run_is_chosen_and_undone(qtbot, page, backend):
    select(qtbot, page, "t-paths")
    form = page.form_pane.structure.paths
    form.mode.buttons["all"].click()
    qtbot.waitUntil(lambda: backend.flows[TREE].step("t-paths").parameters == {"mode": "all"})
    page.editor.history.undo()

    qtbot.waitUntil(lambda: backend.flows[TREE].step("t-paths").parameters == {"mode": "first"})
    assert form.mode.value() == "first"


def test_paths_are_reordered_renamed_and_deleted_from_their_list(qtbot, page, backend):
    select(qtbot, page, "t-paths")
    rows = page.form_pane.structure.paths.rows
    rows["t-urgent"].down.click()
    qtbot.waitUntil(lambda: order(backend).index("t-labels") < order(backend).index("t-urgent"))
    page.form_pane.structure.paths.rows["t-labels"].name.renamed.emit("Labelled")
    qtbot.waitUntil(lambda: backend.flows[TREE].step("t-labels").name == "Labelled")
    page.form_pane.structure.paths.rows["t-labels"].remove.click()

    qtbot.waitUntil(lambda: "t-labels" not in order(backend))


def test_conditions_are_typed_and_otherwise_takes_their_place(qtbot, page, backend):
    select(qtbot, page, "t-urgent")
    form = page.form_pane.structure.branch
    field = form.conditions.lines[0].value_
    field.edit.setFocus()
    qtbot.keyClicks(field.edit, "!")
    page.editor.leave()
    qtbot.waitUntil(lambda: "Crash!" in str(backend.flows[TREE].step("t-urgent").branch_conditions))
    form.default_branch.click()
    qtbot.waitUntil(lambda: always_matches(backend.flows[TREE].step("t-urgent")))
    hidden = not form.frame.isVisible()
    page.editor.history.undo()

    assert hidden
    qtbot.waitUntil(lambda: not always_matches(backend.flows[TREE].step("t-urgent")))
    assert form.frame.isVisible()


@pytest.mark.parametrize("name", ["key", "value_"])
def test_conditions_offer_the_values_of_earlier_steps_by_mouse_and_keyboard(qtbot, page, name):
    select(qtbot, page, "t-urgent")
    field = getattr(page.form_pane.structure.branch.conditions.lines[0], name)
    field.set_value("")
    qtbot.mouseClick(field.insert, LEFT)
    by_mouse = field.picker.isVisible()
    field.picker.close()
    field.insert.setFocus()
    qtbot.keyClick(field.insert, K.Key_Space)
    qtbot.keyClicks(field.picker.search, "title")
    qtbot.keyClick(field.picker.search, K.Key_Return)

    assert by_mouse
    assert field.insert.accessibleName() == f"Insert variable into {field.accessibleName()}"
    assert str(field.value()).endswith(".title}}")


def test_a_missing_condition_is_shown_at_its_field(qtbot, page, backend):
    select(qtbot, page, "t-urgent")
    page.commands.set_conditions((), immediate=True)
    blocker = next(item for item in page.editor.blockers if item.step_id == "t-urgent")
    page.editor.focus(blocker)

    assert page.form_pane.structure.branch.frame.error == "Enter a condition for this branch."


def test_the_list_of_a_loop_offers_lists_first(qtbot, page):
    select(qtbot, page, "t-each")
    field = page.form_pane.fields.editors["list"]
    field.insert_value()
    picker = field.picker
    first = picker.model.item(0).child(0).text()
    picker.close()

    assert first == "labels"


def test_the_test_pane_tells_what_the_newest_data_does(qtbot, page):
    select(qtbot, page, "t-paths")
    paths = page.test_pane.preview_summary.text()
    select(qtbot, page, "t-each")
    each = page.test_pane.preview_summary.text()
    select(qtbot, page, "t-urgent")

    assert paths.startswith("With the latest data, “Urgent” would run.\nUrgent: “Crash when")
    assert each == "The latest data has 2 items."
    assert not page.test_pane.button.isVisible()
    assert page.test_pane.status.text() == "Nothing to test"


def test_a_loop_is_tested_and_shows_its_first_item(qtbot, page):
    select(qtbot, page, "t-each")
    page.test.test()
    qtbot.waitUntil(lambda: page.test.current is not None and page.test.running is None)

    assert page.test.current.result.data_out["count"] == 2


# When it fails


def test_how_a_step_is_tried_is_stored_in_numbers_and_summed_up(qtbot, page, backend):
    section = page.form_pane.failure
    section.set_open(True)
    for key, typed in (("attempts", "4"), ("timeout_seconds", "60")):
        field = section.amounts[key].edit
        field.setFocus()
        qtbot.keyClicks(field, typed)
        qtbot.keyClick(field, K.Key_Return)
    section.continue_on_error.click()
    qtbot.waitUntil(lambda: backend.flows[TREE].step("t-mail").continue_on_error)
    section.set_open(False)

    assert backend.flows[TREE].step("t-mail").policy == StepPolicy(timeout_seconds=60, attempts=4)
    assert section.head.summary == "4 attempts, timeout 60 s, then continues"
    page.editor.history.undo()
    page.editor.history.undo()
    qtbot.waitUntil(lambda: backend.flows[TREE].step("t-mail").policy == StepPolicy(attempts=4))


def test_the_form_shows_the_defaults_of_the_engine_and_what_a_number_of_attempts_means(page):
    section = page.form_pane.failure
    section.set_open(True)

    assert [field.edit.accessibleDescription() for field in section.amounts.values()] == [
        "Default: 5 minutes",
        "Default: 3 if the step is safe to repeat, otherwise 1",
        "Default: 2 seconds, doubled each time",
    ]
    assert section.attempts_note.isVisible()
    assert "even if the step isn't safe to repeat" in section.attempts_note.text()


def test_an_invalid_number_is_rejected_with_a_clear_error(qtbot, page, backend):
    section = page.form_pane.failure
    section.set_open(True)
    field = section.amounts["attempts"].edit
    field.setFocus()
    qtbot.keyClicks(field, "400")
    qtbot.keyClick(field, K.Key_Return)

    assert (
        section.frames["attempts"].error
        == "Enter a whole number from 1 to 20, or leave it empty for the default."
    )
    assert backend.flows[TREE].step("t-mail").policy == StepPolicy()


def test_a_loop_continues_with_its_next_item_and_has_no_tries(qtbot, page):
    select(qtbot, page, "t-each")
    section = page.form_pane.failure
    section.set_open(True)

    assert section.continue_on_error.text() == "Continue with the next item when one fails"
    assert section.continue_on_error.isChecked()
    assert not section.frames["attempts"].isVisible()
    assert not section.attempts_note.isVisible()
    select(qtbot, page, "t-paths")
    assert not section.isVisible()


# Two hundred steps


def test_in_the_largest_flow_typing_into_a_step_freezes_nothing(qtbot, tab, backend):
    backend.flows[LARGE] = large_flow()
    tab.edit(LARGE, "b200")
    page = tab.editor_page
    qtbot.waitUntil(lambda: "message" in page.form_pane.fields.editors)
    field = page.form_pane.fields.editors["message"].edit
    field.setFocus()
    before = thread_time()
    qtbot.keyClicks(field, "x")
    QCoreApplication.processEvents()
    spent_ms = (thread_time() - before) * 1000

    assert len(page.steps.model.rows) > 200
    assert field.toPlainText().endswith("x")
    assert spent_ms < FROZEN_MS


def test_everything_that_takes_the_focus_has_a_name_in_every_form(qtbot, tab, page):
    page.form_pane.failure.set_open(True)
    for step_id in ("t-paths", "t-urgent", "t-other", "t-each", "t-mail"):
        select(qtbot, page, step_id)
        nameless = [
            widget
            for widget in tab.findChildren(QWidget)
            if widget.isVisible()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
        ]
        assert nameless == []


def test_what_was_added_has_the_cursor(qtbot, page):
    page.commands.add("t-log", kind=StructuralType.PATHS)
    qtbot.waitUntil(lambda: page.form_pane.structure.paths.mode.buttons["first"].hasFocus())
    page.commands.add(inside=page.editor.step_id, kind=StructuralType.BRANCH)

    qtbot.waitUntil(lambda: page.form_pane.structure.branch.conditions.lines[0].key.edit.hasFocus())


def test_a_step_that_calls_a_flow_leads_to_it(qtbot, page, around, backend):
    called_flow: list[Any] = []
    around.navigator.requested.connect(called_flow.append)
    backend._edit_step("t-mail", app_key="patchbay", key="callFlow", parameters={"flow": "flow-uptime"})
    page.editor._reload()
    qtbot.waitUntil(lambda: page.form_pane.called_flow.isVisible())
    page.form_pane.called_flow.click()

    assert called_flow[0].id == "flow-uptime"
