"""The marks of states. Failure and attention are filled; all others are outlines."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.mark_painting import Tone, paint_mark
from patchbay.desktop.kit.theme import theme
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowStatus, StructuralType


@dataclass(frozen=True)
class Mark:
    """How a state is shown: its label, icon, and colours."""

    word: str
    icon: str
    token: str
    graphic: str = "neutral_graphic"
    tone: Tone = "neutral"


_FAILURE = Mark(tr("Failure", "state of an execution"), "circle-x", "failure", "failure_graphic", "failure")
_SUCCESS = Mark(
    tr("Success", "state of an execution"), "circle-check", "success", "success_graphic", "success"
)
_RUNNING = Mark(tr("Running", "state of an execution"), "spinner", "accent_text", "accent", "accent")
_FILTERED = Mark(tr("Filtered", "state of an execution"), "funnel", "text_secondary")
NOT_RUN = Mark(tr("Not run", "state of a step"), "circle-dashed", "text_tertiary")

_FLOWS: dict[FlowStatus, tuple[str, Tone]] = {
    FlowStatus.DRAFT: (tr("Draft", "state of a flow"), "neutral"),
    FlowStatus.PUBLISHED: (tr("Published", "state of a flow"), "success"),
    FlowStatus.PAUSED: (tr("Paused", "state of a flow"), "warning"),
}

STRUCTURE_ICONS = {
    StructuralType.PATHS: "split",
    StructuralType.EACH: "repeat",
    StructuralType.BRANCH: "corner-down-right",
}
"""The app icon of steps without an app."""

_MARKS: dict[object, Mark] = {
    ExecutionState.SUCCESS: _SUCCESS,
    ExecutionState.FAILURE: _FAILURE,
    ExecutionState.RUNNING: _RUNNING,
    ExecutionState.WAITING: Mark(tr("Waiting", "state of an execution"), "clock", "text_secondary"),
    ExecutionState.QUEUED: Mark(tr("Queued", "state of an execution"), "circle-dashed", "text_secondary"),
    ExecutionState.FILTERED: _FILTERED,
    ExecutionState.CANCELLED: Mark(
        tr("Cancelled", "state of an execution"), "circle-minus", "text_secondary"
    ),
    ConnectionHealth.VALID: Mark(
        tr("Valid", "state of a connection"), "circle-check", "success", "success_graphic", "success"
    ),
    ConnectionHealth.NEEDS_ATTENTION: Mark(
        tr("Needs attention", "state of a connection"),
        "triangle-alert",
        "warning",
        "warning_graphic",
        "warning",
    ),
    ConnectionHealth.EXPIRES_SOON: Mark(
        tr("Expires soon", "state of a connection"), "triangle-alert", "warning", "warning_graphic", "warning"
    ),
    ConnectionHealth.NEVER_TESTED: Mark(
        tr("Never tested", "state of a connection"), "circle-dashed", "text_secondary"
    ),
}


def flow_status_label(status: FlowStatus) -> tuple[str, Tone]:
    """The label for whether a flow is published, and its tone."""
    return _FLOWS[status]


def mark_of(state: ExecutionState | StepState | ConnectionHealth | None) -> Mark:
    """The mark of a state; None means a step that didn't run."""
    if state is None:
        return NOT_RUN
    return _MARKS.get(state) or _MARKS[ExecutionState(str(state))]


def paint_state_mark(
    painter: QPainter,
    rect: QRectF,
    state: ExecutionState | StepState | ConnectionHealth | None,
    size: int = 16,
) -> None:
    """Paint the mark of a state in the area."""
    mark = mark_of(state)
    paint_mark(painter, rect, mark.icon, theme().color(mark.token), theme().tokens.surface, size)
