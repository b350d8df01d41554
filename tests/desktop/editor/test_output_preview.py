"""The preview of a transform's result while it is edited: over a real workspace, and its box."""

import asyncio
import threading

import pytest
from tests.support.app_calls import built_in_app
from tests.support.patience import PATIENCE
from tests.support.workspace import open_runtime

from patchbay.desktop.editor.step_previews import OutputPreviewBox
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.output_preview import OutputPreview, PreviewState
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.domain.base import AppKey

FORMATTER = AppKey("formatter")


@pytest.fixture
def real_runtime(loop_thread, tmp_path):
    made = loop_thread.submit(open_runtime(tmp_path, more_apps=[built_in_app("formatter")])).result(PATIENCE)
    yield made
    loop_thread.submit(made.close()).result(PATIENCE)


@pytest.fixture
def form(real_editor):
    return StepFormModel(real_editor, real_editor)


@pytest.fixture
def preview(qtbot, real_editor, form):
    """The preview of the second step of a new flow, which trims text."""
    made = OutputPreview(real_editor, form, real_editor)
    steps = StepCommands(real_editor, real_editor)
    real_editor.services.apps.detail(FORMATTER, real_editor._on_app_loaded, owner=real_editor)
    qtbot.waitUntil(lambda: FORMATTER in real_editor.apps)
    real_editor.select(real_editor.flow.steps[1].id)
    steps.choose_event(FORMATTER, "text")
    qtbot.waitUntil(lambda: real_editor.draft.saved)
    choose(qtbot, form, "trimWhitespace", "input")
    return made


def choose(qtbot, form: StepFormModel, transform: str, field: str) -> None:
    form.set_value("transform", transform, immediate=True)
    qtbot.waitUntil(lambda: form.argument(field) is not None)


def test_the_result_follows_what_is_typed(qtbot, form, preview):
    form.set_value("input", "  a b ")
    qtbot.waitUntil(lambda: preview.state is PreviewState.OUTPUT)
    assert preview.text == "a b"

    form.set_value("input", "  c ")

    assert preview.text == "a b"
    qtbot.waitUntil(lambda: preview.text == "c")


def test_a_required_field_that_is_empty_is_named(qtbot, form, preview):
    assert (preview.state, preview.message) == (PreviewState.WAITING, "Fill in “Input” to see the result.")

    form.set_value("input", "x")
    qtbot.waitUntil(lambda: preview.state is PreviewState.OUTPUT)
    form.set_value("input", "")

    assert preview.state is PreviewState.WAITING


def test_values_that_change_while_the_step_is_stored_are_not_previewed(qtbot, real_editor, form, preview):
    form.set_value("input", "x")
    qtbot.waitUntil(lambda: preview.state is PreviewState.OUTPUT)
    queue, stored = real_editor.draft.write_queue, threading.Event()
    qtbot.waitUntil(lambda: queue.idle)
    queue.add(lambda: asyncio.to_thread(stored.wait, PATIENCE))
    form.set_value("input", "y")
    qtbot.waitUntil(lambda: len(queue._idle_callbacks) > 0)  # it waits until “y” is stored

    form.set_value("input", "")
    stored.set()
    qtbot.waitUntil(lambda: queue.idle)

    assert (preview.state, preview._request.is_running) == (PreviewState.WAITING, False)


def test_an_error_is_shown_in_place_and_goes_when_it_is_fixed(qtbot, form, preview):
    choose(qtbot, form, "extractByPattern", "pattern")
    form.set_value("input", "INV-7")
    form.set_value("pattern", "INV-(")
    qtbot.waitUntil(lambda: preview.state is PreviewState.FAILED)
    assert "The pattern isn't valid" in preview.message

    form.set_value("pattern", "INV-(.)")

    qtbot.waitUntil(lambda: preview.state is PreviewState.OUTPUT)
    assert preview.output == "7"


def test_a_structure_is_shown_as_json(qtbot, form, preview):
    choose(qtbot, form, "parseStringifiedJson", "input")
    form.set_value("input", '{"a": [1]}')

    qtbot.waitUntil(lambda: preview.state is PreviewState.OUTPUT)

    assert preview.output == {"a": [1]}
    assert preview.text == '{\n  "a": [\n    1\n  ]\n}'


def test_a_long_result_is_cut(qtbot, form, preview):
    form.set_value("input", "a" * 6_000)

    qtbot.waitUntil(lambda: preview.state is PreviewState.OUTPUT)

    assert preview.text == "a" * 5_000 + "…"


def test_a_step_without_a_preview_shows_none(qtbot, real_editor, form, preview):
    form.set_value("input", "x")
    qtbot.waitUntil(lambda: preview.state is PreviewState.OUTPUT)

    real_editor.select(real_editor.flow.steps[0].id)

    assert preview.state is PreviewState.HIDDEN


def test_the_box_shows_and_announces_the_result(qtbot, form, preview):
    box = OutputPreviewBox(preview)
    qtbot.addWidget(box)
    box.show()
    assert box.message.text() == "Fill in “Input” to see the result."

    form.set_value("input", " hello ")
    qtbot.waitUntil(lambda: box.output.text() == "hello")
    assert box.accessibleName() == "Result with the latest data: hello"
    assert box.message.isHidden()

    choose(qtbot, form, "extractByPattern", "pattern")
    form.set_value("pattern", "(")
    qtbot.waitUntil(box.error.isVisible)
    assert "isn't valid" in box.accessibleName()
    assert box.output.isHidden()


def test_the_box_says_when_the_result_is_empty(qtbot, form, preview):
    box = OutputPreviewBox(preview)
    qtbot.addWidget(box)
    box.show()

    form.set_value("input", "   ")
    choose(qtbot, form, "extractNumber", "input")
    form.set_value("input", "no digits")

    qtbot.waitUntil(lambda: box.message.text() == "The result is empty.")
    assert box.isVisible()
