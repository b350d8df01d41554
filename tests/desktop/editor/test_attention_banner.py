"""The banner of a flow that can't work where it is."""

from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import FlowActivity

REASON = "Doesn't start: “patchbay serve” runs the flows, without a desktop"
TODO = "Stop “patchbay serve”, and keep the Patchbay window open."


def found(backend, monkeypatch, attention, todo=""):
    def activity(flow_id):
        return FlowActivity(flow_id=flow_id, attention=attention, attention_todo=todo)

    monkeypatch.setattr(backend, "_activity", activity)


def test_the_editor_says_why_a_flow_cant_work_and_what_to_do(qtbot, page, backend, monkeypatch, around):
    found(backend, monkeypatch, None)
    page.open("flow-issues")
    qtbot.waitUntil(lambda: page.editor.flow is not None and not page.attention.isVisible())

    found(backend, monkeypatch, REASON, TODO)
    around.feed.changed.emit(Change(noun=ResourceType.WORKSPACE))

    qtbot.waitUntil(page.attention.isVisible)
    assert page.attention.reason.text() == REASON
    assert page.attention.todo.text() == TODO
    found(backend, monkeypatch, None)
    around.feed.changed.emit(Change(noun=ResourceType.WORKSPACE))
    qtbot.waitUntil(lambda: not page.attention.isVisible())


def test_a_paused_flow_has_one_banner(qtbot, page, backend):
    paused = backend.flows["flow-issues"].model_copy(update={"paused_at": 1, "paused_reason": "Too often"})
    backend.flows["flow-issues"] = paused
    page.open("flow-issues")
    qtbot.waitUntil(page.banner.isVisible)

    with qtbot.waitSignal(page.attention.model.changed):
        page.attention.model.read()

    assert not page.attention.isVisible()
