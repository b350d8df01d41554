"""The editor over a real workspace: database, engine and apps, no fake."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.workspace import House, open_house

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_form import FormModel
from patchbay.desktop.state.editor_steps import StepCommands
from patchbay.desktop.state.editor_test import TestModel
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.domain.flows import StepStatus
from patchbay.domain.variables import Reference


@pytest.fixture
def house(loop_thread: LoopThread, tmp_path: Path) -> Iterator[House]:
    made = loop_thread.submit(open_house(tmp_path)).result(20)
    yield made
    loop_thread.submit(made.close()).result(20)


@pytest.fixture
def editor(qtbot: QtBot, tasks: Tasks, house: House, loop_thread: LoopThread) -> EditorViewModel:
    around = services(tasks, house.backend)
    qtbot.waitUntil(lambda: bool(around.apps.all))
    flow = loop_thread.submit(house.backend.create_flow("Built by hand")).result(20)
    made = EditorViewModel(around)
    made.open(flow.id)
    qtbot.waitUntil(lambda: made.flow is not None)
    return made


def choose(qtbot: QtBot, editor: EditorViewModel, steps: StepCommands, key: str) -> None:
    editor.services.apps.detail("tools", editor._app_arrived)
    qtbot.waitUntil(lambda: "tools" in editor.apps)
    steps.choose_event("tools", key)
    qtbot.waitUntil(lambda: editor.draft.saved)


def test_a_flow_is_built_tested_changed_and_published(qtbot, editor):
    steps, form = StepCommands(editor, editor), FormModel(editor, editor)
    tester = TestModel(editor, form, editor)
    choose(qtbot, editor, steps, "catch")
    trigger, action = (step.id for step in editor.flow.steps)
    tester.skip()
    qtbot.waitUntil(lambda: editor.step.status is StepStatus.COMPLETED)

    editor.select(action)
    choose(qtbot, editor, steps, "pass")
    form.set_value("text", "hello")
    tester.test()
    qtbot.waitUntil(lambda: tester.running is None and tester.current is not None)

    assert not tester.current.failed
    assert editor.blockers == ()

    form.set_value("text", f"{Reference(step_id='nobody', path=('x',)).token}")
    qtbot.waitUntil(lambda: editor.draft.saved, timeout=3000)
    assert [item.field for item in editor.blockers] == ["text"]

    editor.history.undo()
    steps.add(action)
    qtbot.waitUntil(lambda: len(editor.flow.steps) == 3)
    steps.delete(editor.step_id)
    qtbot.waitUntil(lambda: len(editor.flow.steps) == 2)
    editor.select(action)
    tester.skip()
    qtbot.waitUntil(lambda: editor.draft.saved and editor.blockers == ())
    editor.publish()

    qtbot.waitUntil(lambda: editor.flow.published_version == 1)
    assert editor.flow.step(trigger).webhook_url


def test_a_refusal_names_fields_the_editor_can_go_to(qtbot, editor):
    asked = []
    editor.focus_requested.connect(asked.append)

    editor.publish()

    qtbot.waitUntil(lambda: len(asked) == 1)
    assert asked[0].position == 1
    assert editor.blockers[0].field == "event"
