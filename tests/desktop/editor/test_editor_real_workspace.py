"""The editor over a real workspace: database, engine and apps, no fake."""

from typing import Any

from pytestqt.qtbot import QtBot

from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.desktop.editor.view_models.step_test import StepTestModel
from patchbay.domain.base import AppKey, StepId
from patchbay.domain.blockers import EVENT_FIELD
from patchbay.domain.flows import StepStatus
from patchbay.domain.variables import Reference

TOOLS = AppKey("tools")


def choose(qtbot: QtBot, editor: EditorViewModel, steps: StepCommands, key: str) -> None:
    editor.services.apps.detail(TOOLS, editor._on_app_loaded, owner=editor)
    qtbot.waitUntil(lambda: "tools" in editor.apps)
    steps.choose_event(TOOLS, key)
    qtbot.waitUntil(lambda: editor.draft.saved)


def test_a_flow_is_built_tested_changed_and_published(qtbot, real_editor):
    steps, form = StepCommands(real_editor, real_editor), StepFormModel(real_editor, real_editor)
    tester = StepTestModel(real_editor, form, real_editor)
    choose(qtbot, real_editor, steps, "catch")
    trigger, action = (step.id for step in real_editor.flow.steps)
    tester.skip()
    qtbot.waitUntil(lambda: real_editor.step.status is StepStatus.COMPLETED)

    real_editor.select(action)
    choose(qtbot, real_editor, steps, "pass")
    form.set_value("text", "hello")
    tester.test()
    qtbot.waitUntil(lambda: tester.running is None and tester.current is not None)

    assert not tester.current.failed
    assert real_editor.blockers == ()

    form.set_value("text", f"{Reference(step_id=StepId('nobody'), path=('x',)).token}")
    qtbot.waitUntil(lambda: real_editor.draft.saved)
    assert [item.field for item in real_editor.blockers] == ["text"]

    real_editor.history.undo()
    steps.add(action)
    qtbot.waitUntil(lambda: len(real_editor.flow.steps) == 3)
    steps.delete(real_editor.step_id)
    qtbot.waitUntil(lambda: len(real_editor.flow.steps) == 2)
    real_editor.select(action)
    tester.skip()
    qtbot.waitUntil(lambda: real_editor.draft.saved and real_editor.blockers == ())
    real_editor.publish()

    qtbot.waitUntil(lambda: real_editor.flow.published_version == 1)
    assert real_editor.flow.step(trigger).webhook_url


def test_a_refusal_names_fields_the_editor_can_go_to(qtbot, real_editor):
    asked: list[Any] = []
    real_editor.focus_requested.connect(asked.append)

    real_editor.publish()

    qtbot.waitUntil(lambda: len(asked) == 1)
    assert asked[0].position == 1
    assert real_editor.blockers[0].field == EVENT_FIELD
