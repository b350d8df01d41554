"""The section on what happens when a step fails."""

import pytest
from pytestqt.qtbot import QtBot

from patchbay.desktop.editor.failure_section import FailureSection
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands


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
