"""The editor notices what a webhook caught while it is open."""

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.editor.view_models import step_test
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.step_test import StepTestModel
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import ExecutionStep

TRIGGER = StepId("flow-uptime-1")


def test_a_newer_sample_arrives_by_itself(qtbot, tasks, loop_thread, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(step_test, "MIN_INTERVAL_MS", 10)
    backend = FakeBackend(executions=3)
    editor = EditorViewModel(services(tasks, backend))
    test = StepTestModel(editor, StepFormModel(editor))
    with qtbot.waitSignal(editor.opened):
        editor.open(FlowId("flow-uptime"), TRIGGER)
    caught = editor.samples[TRIGGER].model_copy(update={"id": "newer", "data_out": {"body": 1}})

    async def samples(flow_id: str) -> tuple[ExecutionStep, ...]:
        return (caught,)

    monkeypatch.setattr(backend, "step_samples", samples)
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.EXECUTION, f"e-{NOW}")

    qtbot.waitUntil(lambda: editor.samples[TRIGGER].id == "newer")
    assert test.current is not None
    assert test.current.result is caught
