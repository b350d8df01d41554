"""Paths and loops built in the editor over a real workspace: database, engine and apps, no fake."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.step_commands import MoveDirection, StepCommands
from patchbay.desktop.editor.view_models.step_test import StepTestModel
from patchbay.domain.base import AppKey, StepId
from patchbay.domain.flows import FlowStatus, StepStatus, StructuralType
from patchbay.domain.step_policy import StepPolicy

TOOLS = AppKey("tools")


@pytest.fixture
def editor(qtbot: QtBot, real_editor: EditorViewModel) -> EditorViewModel:
    """A flow whose trigger and first action are ready to be chosen."""
    real_editor.services.apps.detail(TOOLS, real_editor._on_app_loaded, owner=real_editor)
    qtbot.waitUntil(lambda: "tools" in real_editor.apps)
    return real_editor


@pytest.fixture
def desk(qtbot: QtBot, editor: EditorViewModel) -> "WindowController":
    made = WindowController(qtbot, editor)
    trigger, action = (step.id for step in editor.flow.steps)
    made.choose(trigger, "catch")
    made.skip()
    made.choose(action, "pass", text="hello")
    made.skip()
    return made


class WindowController:
    """What a person does in the editor, each thing waited for."""

    def __init__(self, qtbot: QtBot, editor: EditorViewModel) -> None:
        self._qtbot, self.editor = qtbot, editor
        self.steps, self.form = StepCommands(editor, editor), StepFormModel(editor, editor)
        self.tester = StepTestModel(editor, self.form, editor)

    def saved(self) -> None:
        self._qtbot.waitUntil(lambda: self.editor.draft.saved)

    def add(self, kind: StructuralType = StructuralType.SINGLE, inside: StepId | None = None) -> StepId:
        before = len(self.editor.flow.steps)
        self.steps.add(inside=inside, kind=kind)
        self._qtbot.waitUntil(lambda: len(self.editor.flow.steps) > before)
        self.saved()
        assert self.editor.step_id is not None
        return self.editor.step_id

    def choose(self, step_id: StepId, key: str, **values: str) -> None:
        self.editor.select(step_id)
        self.steps.choose_event(TOOLS, key)
        self.fill(**values)

    def fill(self, **values: str) -> None:
        for name, value in values.items():
            self.form.set_value(name, value, immediate=True)
        self.saved()

    def skip(self) -> None:
        self.tester.skip()
        self._qtbot.waitUntil(lambda: self.editor.step.status is StepStatus.COMPLETED)

    def test(self) -> Any:
        """What the test of the selected step put out."""
        self.tester.test()
        self._qtbot.waitUntil(lambda: self.tester.running is None and self.tester.current is not None)
        result = self.tester.current.result
        assert not self.tester.current.failed, self.tester.current
        assert result is not None
        return result.data_out


def test_a_loop_is_built_tested_and_its_item_used_inside(desk, editor):
    each = desk.add(StructuralType.EACH)
    desk.fill(list='["red", "green"]')
    inside = desk.add(inside=each)
    desk.choose(inside, "pass", text=f"{{{{step.{each}.number}}}}: {{{{step.{each}.item}}}}")
    offered = [entry.label for entry in editor.catalog().groups[0].entries]
    editor.select(each)
    tested = desk.test()
    editor.select(inside)

    assert offered[:4] == ["item", "number", "index", "count"]
    assert (tested["item"], tested["count"]) == ("red", 2)
    assert "1: red" in str(desk.test())
    assert editor.blockers == ()


def test_paths_are_built_tested_and_published(qtbot, desk, editor):
    action = editor.flow.steps[1].id
    desk.test()
    paths = desk.add(StructuralType.PATHS)
    told, otherwise = (step.id for step in editor.tree.children_of(paths))
    editor.select(told)
    lacking = [item.field for item in editor.blockers if item.step_id == told]
    name = next(iter(editor.samples[action].data_out))
    key = f"{{{{step.{action}.{name}}}}}"
    desk.steps.set_conditions(({"and": [{"key": key, "operator": "contains", "value": ""}]},), immediate=True)
    for branch in (told, otherwise):
        desk.choose(desk.add(inside=branch), "pass", text="there")
        desk.skip()
    editor.select(paths)
    tested = desk.test()
    preview_summary = desk.tester.preview_summary()
    editor.publish()

    assert lacking == ["branchConditions"]
    assert tested["taken"] == [told]
    assert preview_summary.splitlines()[0] == "With the latest data, “Branch 1” would run."
    qtbot.waitUntil(lambda: editor.flow.published_version == 1)
    assert editor.flow.step(told).status is StepStatus.COMPLETED


def test_steps_are_moved_copied_deleted_and_brought_back_with_all_they_hold(qtbot, desk, editor):
    each = desk.add(StructuralType.EACH)
    inside = desk.add(inside=each)
    desk.steps.shift(inside, MoveDirection.OUT)
    qtbot.waitUntil(lambda: editor.flow.step(inside).parent_step_id is None)
    editor.history.undo()
    qtbot.waitUntil(lambda: editor.flow.step(inside).parent_step_id == each)
    desk.saved()
    desk.steps.duplicate(each)
    qtbot.waitUntil(lambda: len(editor.flow.steps) == 6)
    desk.saved()
    desk.steps.delete(each)
    qtbot.waitUntil(lambda: len(editor.flow.steps) == 4)
    editor.history.undo()

    qtbot.waitUntil(lambda: len(editor.flow.steps) == 6)
    assert editor.flow.step(inside).parent_step_id == each


def test_how_a_step_is_tried_is_kept_and_a_published_flow_is_paused(qtbot, desk, editor):
    desk.steps.set_policy(StepPolicy(attempts=2))
    desk.saved()
    desk.skip()
    editor.publish()
    qtbot.waitUntil(lambda: editor.flow.published_version == 1)
    desk.steps.set_paused(True)
    qtbot.waitUntil(lambda: editor.flow.status is FlowStatus.PAUSED)
    editor.history.undo()

    qtbot.waitUntil(lambda: editor.flow.status is FlowStatus.PUBLISHED)
    assert editor.flow.steps[1].policy == StepPolicy(attempts=2)
