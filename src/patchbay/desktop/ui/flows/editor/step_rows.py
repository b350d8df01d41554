"""What the cards of the step list say."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_blockers import TEST_FIELD
from patchbay.domain.base import StepId
from patchbay.domain.flows import Step, StepStatus, StepType

ROW_ROLE = Qt.ItemDataRole.UserRole + 1

Index = QModelIndex | QPersistentModelIndex


class StepMark(StrEnum):
    """How far a step is."""

    DONE = "done"
    MISSING = "missing"
    UNTESTED = "untested"
    RUNNING = "running"


_WORDS = {
    StepMark.DONE: "ready",
    StepMark.MISSING: "something is missing",
    StepMark.UNTESTED: "not tested",
    StepMark.RUNNING: "being tested",
}


@dataclass(frozen=True)
class StepRow:
    """One card."""

    id: StepId
    title: str
    detail: str
    app_key: str | None
    mark: StepMark
    movable: bool

    @property
    def spoken(self) -> str:
        return f"{self.title}, {self.detail}, {_WORDS[self.mark]}"


def step_rows(editor: EditorViewModel, running: StepId | None) -> tuple[StepRow, ...]:
    return tuple(_row(editor, step, running) for step in editor.flow.steps) if editor.flow else ()


def _row(editor: EditorViewModel, step: Step, running: StepId | None) -> StepRow:
    title = editor.title(step) if step.key or step.name else _empty_title(step)
    return StepRow(
        step.id,
        f"{step.position}. {title}",
        _detail(editor, step),
        step.app_key,
        StepMark.RUNNING if step.id == running else _mark(editor, step),
        step.type is StepType.ACTION,
    )


def _empty_title(step: Step) -> str:
    return "Choose a trigger" if step.type is StepType.TRIGGER else "Choose an action"


def _detail(editor: EditorViewModel, step: Step) -> str:
    app = editor.services.apps.get(step.app_key)
    if app is None:
        return step.app_key or ("Starts the flow" if step.type is StepType.TRIGGER else "Does something")
    connection = editor.connections.get(step.connection_id or "")
    return f"{app.name} · {connection.screen_name}" if connection else app.name


def _mark(editor: EditorViewModel, step: Step) -> StepMark:
    mine = [item for item in editor.blockers if item.step_id == step.id]
    if any(item.field != TEST_FIELD for item in mine):
        return StepMark.MISSING
    done = step.status is StepStatus.COMPLETED and not mine
    return StepMark.DONE if done else StepMark.UNTESTED


class StepListModel(QAbstractListModel):
    """The cards, in order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[StepRow, ...] = ()

    def show(self, rows: tuple[StepRow, ...]) -> None:
        if [row.id for row in rows] == [row.id for row in self._rows]:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    @property
    def rows(self) -> Sequence[StepRow]:
        return self._rows

    def row(self, index: Index) -> StepRow | None:
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def row_of(self, step_id: StepId | None) -> int:
        return next((number for number, row in enumerate(self._rows) if row.id == step_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken
        return row if role == ROW_ROLE else None
