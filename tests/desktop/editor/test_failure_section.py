"""The section on what happens when a step fails."""

import pytest
from pytestqt.qtbot import QtBot

from patchbay.desktop.editor.failure_section import FailureSection
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.domain.apps import ActionInfo, TimeLimit
from patchbay.domain.base import AppKey, JsonObject
from patchbay.integration.registry import load_apps


@pytest.mark.parametrize(("width", "lines"), [(2000, 1), (None, 3)])
def test_the_numbers_are_below_each_other_where_they_do_not_fit_side_by_side(
    qtbot: QtBot, editor: EditorViewModel, steps: StepCommands, width: int | None, lines: int
) -> None:
    section = FailureSection(editor, steps)
    qtbot.addWidget(section)
    assert editor.step is not None
    section.show_step(editor.step)
    section.set_open(True)
    section.resize(width or section.minimumSizeHint().width(), 800)
    section.show()

    fields = section.frames.values()
    qtbot.waitUntil(lambda: len({field.y() for field in fields}) == lines)

    assert all(field.geometry().right() <= section.width() for field in fields)


ASK = ActionInfo(
    key="askMe",
    name="Ask me",
    time_limit=TimeLimit(argument="minutes", default=60, most=1380, unit_seconds=60),
)
DELAY = ActionInfo(key="delayFor", name="Delay for", parks=True)


@pytest.mark.parametrize(
    ("event", "parameters", "shown"),
    [
        (None, {}, "Default: 5 minutes"),
        (ASK, {}, "Default: 61 minutes, longer than the time limit above"),
        (ASK, {"minutes": "180"}, "Default: 181 minutes, longer than the time limit above"),
        (ASK, {"minutes": 2}, "Default: 5 minutes"),
        (DELAY, {}, "Default: 5 minutes, without the wait"),
    ],
)
def test_the_default_timeout_leaves_a_step_its_time_to_wait(
    editor: EditorViewModel,
    steps: StepCommands,
    event: ActionInfo | None,
    parameters: JsonObject,
    shown: str,
) -> None:
    section = FailureSection(editor, steps)
    assert editor.step is not None

    section.show_step(editor.step.model_copy(update={"parameters": parameters}), event)

    assert section.amounts["timeout_seconds"].accessibleDescription() == shown


def test_the_editor_knows_how_long_built_in_actions_wait() -> None:
    apps = load_apps()

    def action(app: str, key: str) -> ActionInfo | None:
        return apps.info(AppKey(app), detail=True).action(key)

    for app, key, seconds in (
        ("desktop", "askMe", 3600),
        ("desktop", "showNotification", 3600),
        ("programs", "runProgram", 60),
    ):
        found = action(app, key)
        assert found is not None
        assert found.time_limit is not None
        assert found.time_limit.seconds({}) == seconds
    for app, key in (("delay", "delayFor"), ("delay", "delayUntil"), ("patchbay", "callFlow")):
        found = action(app, key)
        assert found is not None
        assert found.parks
