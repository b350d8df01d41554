"""The preview of a schedule in the editor: a sentence and the next starts, updated while typing."""

from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.step_previews import SchedulePreviewBox
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.schedule_preview import INCOMPLETE, INVALID, SchedulePreviewModel
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import NotFound, ValidationFailed

FLOW, TRIGGER = FlowId("flow-inventory"), StepId("flow-inventory-1")


@pytest.fixture
def editor(qtbot: QtBot, around: Services) -> EditorViewModel:
    """The editor on the trigger of a flow that starts every day."""
    made = EditorViewModel(around)
    made.open(FLOW, TRIGGER)
    qtbot.waitUntil(lambda: made.flow is not None and set(made.flow.app_keys) <= made.apps.keys())
    return made


@pytest.fixture
def form(editor: EditorViewModel) -> StepFormModel:
    return StepFormModel(editor, editor)


@pytest.fixture
def model(editor: EditorViewModel, form: StepFormModel) -> SchedulePreviewModel:
    made = SchedulePreviewModel(editor, form, editor)
    editor.selected.emit()
    return made


@pytest.fixture
def shown(qtbot: QtBot, form: StepFormModel, model: SchedulePreviewModel) -> SchedulePreviewModel:
    """The preview of a start at nine."""
    form.set_value("hour", 9)
    qtbot.waitUntil(lambda: model.preview is not None and "09:00" in model.preview.sentence)
    return model


def previews(backend: FakeBackend) -> list[dict[str, Any]]:
    """The parameters that were previewed."""
    return [arguments[3] for name, arguments in backend.calls if name == "preview_schedule"]


def test_a_schedule_without_its_fields_asks_for_them_and_nothing_is_requested(qtbot, form, model, backend):
    qtbot.waitUntil(lambda: model.preview is not None)
    before = len(previews(backend))

    form.set_value("hour", None)

    assert (model.is_shown, model.preview, model.hint) == (True, None, INCOMPLETE)
    assert len(previews(backend)) == before


def test_it_has_a_sentence_and_the_next_starts_on_the_clock_of_the_schedule(qtbot, shown):
    box = SchedulePreviewBox(shown)
    qtbot.addWidget(box)

    assert shown.next_starts == ("Mon 30 Mar 2026, 09:00", "Tue 31 Mar 2026, 09:00")
    assert box.sentence.text() == "Every day at 09:00 (Europe/Berlin)"
    assert box.starts.text().splitlines() == [*shown.next_starts]
    assert not box.hint.isVisibleTo(box)


def test_it_follows_the_fields_with_one_request_once_typing_pauses(qtbot, form, shown, backend):
    before = len(previews(backend))

    for hour in (10, 11, 12):
        form.set_value("hour", hour)
    qtbot.waitUntil(lambda: "12:00" in shown.preview.sentence)

    assert [given["hour"] for given in previews(backend)[before:]] == [12]


def test_what_the_workspace_finds_wrong_is_shown_at_the_field_until_it_is_changed(
    qtbot, form, shown, backend
):
    problem = "“9” can't be used."
    backend.failing["preview_schedule"] = ValidationFailed({"hour": [problem]})
    form.set_value("hour", 10)
    qtbot.waitUntil(lambda: form.error("hour") == problem)
    form.leave("hour")
    left = form.error("hour")

    backend.failing.clear()
    form.set_value("hour", 11)
    changed = form.error("hour")
    qtbot.waitUntil(lambda: shown.preview is not None)

    assert (left, changed, form.error("hour")) == (problem, "", "")
    assert shown.hint == ""


def test_what_the_workspace_finds_wrong_is_in_the_bar_of_problems_also_at_another_step(
    qtbot, form, shown, editor, backend
):
    backend.failing["preview_schedule"] = ValidationFailed({"hour": ["“25:99” isn't a time."]})
    trigger = editor.step_id
    form.set_value("hour", 10)
    wanted = (trigger, "hour", "“25:99” isn't a time")

    def listed():
        return [(item.step_id, item.field, item.reason) for item in editor.blockers]

    qtbot.waitUntil(lambda: wanted in listed())
    editor.select(next(step.id for step in editor.flow.steps if step.id != trigger))
    assert wanted in listed()
    editor.select(trigger)
    backend.failing.clear()
    form.set_value("hour", 11)

    assert wanted not in listed()
    qtbot.waitUntil(lambda: shown.preview is not None)


def test_an_error_without_a_field_of_the_form_is_shown_below(qtbot, form, shown, backend):
    backend.failing["preview_schedule"] = ValidationFailed({"cron": ["x"]}, happened="It never matches.")

    form.set_value("hour", 10)
    qtbot.waitUntil(lambda: shown.preview is None and shown.hint != "")

    assert shown.hint.startswith("It never matches.")
    assert shown.hint != INVALID


def test_a_workspace_without_previews_shows_none(qtbot, form, shown, backend):
    backend.failing["preview_schedule"] = NotFound("There is no such address.")

    form.set_value("hour", 10)

    qtbot.waitUntil(lambda: not shown.is_shown)


def is_hidden_after(change: Callable[[], None], model: SchedulePreviewModel) -> bool:
    change()
    return not model.is_shown


def test_it_belongs_to_schedules_only(editor, shown):
    action = editor.flow.steps[1].id

    assert is_hidden_after(lambda: editor.select(action), shown)
    editor.select(TRIGGER)
    assert shown.is_shown


def test_another_time_zone_is_previewed_again(qtbot, around, editor, shown, backend):
    before = len(previews(backend))
    settings = editor.flow.settings.model_copy(update={"time_zone": "Asia/Kolkata"})

    around.tasks.run(editor, backend.change_flow_settings(FLOW, settings))

    qtbot.waitUntil(lambda: len(previews(backend)) > before)
