"""The publish bar: open issues with links, what to know before publishing, and Publish."""

from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.editor.view_models.blockers import TEST_FIELD, blocker_link
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_events import event_of
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.messages import AVOIDED_BY_TOASTS
from patchbay.desktop.kit.shortcuts import PUBLISH
from patchbay.desktop.kit.text import ElidedLabel, Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.backend import Feature
from patchbay.domain.blockers import Blocker
from patchbay.domain.flows import StepTestStatus

ROW_HEIGHT = 32
MAX_VISIBLE_ROWS = 4


class PublishBar(QWidget):
    """A 46 px bar, with a collapsible list of issues below it.

    The list doesn't shrink while the pointer is on the bar, so that “Publish” doesn't move away from it.
    `test_requested`: test the step that was just selected.
    """

    test_requested = Signal()

    def __init__(self, editor: EditorViewModel) -> None:
        super().__init__()
        self.setObjectName(AVOIDED_BY_TOASTS)
        surface(self, "raised")
        self._editor = editor
        self._folded = False
        self._visible_rows = 0
        self._shown: tuple[tuple[str, Blocker], ...] = ()
        self._notes: tuple[tuple[str, str], ...] = ()
        """Step and text of what to know before publishing."""
        self.fold = IconButton("chevron-down", tr("Collapse the list"), small=True)
        self.fold.clicked.connect(self._toggle_folded)
        self._count = Label("", "semibold")
        self._summary = ElidedLabel("", "body", "text_secondary")
        self._running_version_label = Label("", "caption", "text_secondary")
        self.publish = Button(tr("Publish", "verb, button"), "primary")
        self.publish.setToolTip(plain_tip(PUBLISH.hint(tr("Publish", "verb, button"))))
        self.publish.clicked.connect(editor.publish)
        self.links: list[Button] = []
        self._list = QWidget()
        self._rows = vbox(parent=self._list, spacing=0)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        surface(self._list, "raised")
        self._area.setWidget(self._list)
        self._lay_out()
        for signal in (
            editor.blockers_changed,
            editor.flow_changed,
            editor.opened,
            editor.context_changed,
        ):
            signal.connect(self.show_state)

    def _lay_out(self) -> None:
        head = hbox(
            self.fold,
            self._count,
            (self._summary, 1),
            self._running_version_label,
            10,
            self.publish,
            margins=(12, 7, 16, 8),
            spacing=6,
        )
        vbox(line(), head, self._area, parent=self, spacing=0)

    def show_state(self) -> None:
        """Show whether the flow is published, and what prevents publishing."""
        flow = self._editor.flow
        if flow is None:
            return
        blockers = self._editor.blockers
        draft = not flow.active or flow.has_unpublished_edits
        self.setVisible(draft)
        total = len(blockers)
        summary = tr_count(total, "{n} issue to fix", "{n} issues to fix")
        self._count.setText(summary if total else tr("Ready to publish"))
        version = flow.published_version
        replaces = flow.active and version is not None
        explanation, running = tr("before this flow can run", "after: 2 issues to fix"), ""
        if replaces:
            explanation = tr(
                "before this draft can replace version {version}", "after: 2 issues to fix", version=version
            )
            running = tr("Version {version} keeps running until then", version=version)
        self._summary.setText(explanation if total else "")
        self._running_version_label.setText(running)
        self.publish.set_busy(self._editor.publishing, tr("Publishing"))
        reason = self._editor.services.backend.capabilities.reason(Feature.EDIT_FLOWS)
        self.publish.setToolTip(plain_tip(reason or PUBLISH.hint(tr("Publish", "verb, button"))))
        self.publish.setEnabled(reason is None)
        shown = tuple((self._editor.blocker_title(blocker), blocker) for blocker in blockers)
        notes = tuple((self._editor.step_label(note.step), note.text) for note in self._editor.publish_notes)
        if (shown, notes) != (self._shown, self._notes):
            self._shown, self._notes = shown, notes
            self._fill_rows()
        self._show_list()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._show_list()

    def unfold(self) -> None:
        """Show the list of what prevents publishing."""
        self._folded = False
        self._show_list()

    def _toggle_folded(self) -> None:
        self._folded = not self._folded
        self._show_list()

    def _show_list(self) -> None:
        total = len(self._shown) + len(self._notes)
        self.fold.setVisible(total > 0)
        self.fold.set_icon("chevron-right" if self._folded else "chevron-down")
        self.fold.set_name(tr("Expand the list") if self._folded else tr("Collapse the list"))
        rows = 0 if self._folded else min(total, MAX_VISIBLE_ROWS)
        if self.underMouse() and not self._folded:
            rows = max(rows, self._visible_rows)
        self._visible_rows = rows
        self._area.setVisible(rows > 0)
        self._area.setFixedHeight(theme().px(ROW_HEIGHT) * max(1, rows))

    def _fill_rows(self) -> None:
        while item := self._rows.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.links = []
        for title_text, blocker in self._shown:
            self._rows.addWidget(self._row(title_text, blocker))
        for title_text, text in self._notes:
            self._rows.addWidget(self._note_row(title_text, text))
        self._rows.addStretch(1)

    def _row(self, title_text: str, blocker: Blocker) -> QWidget:
        px = theme().px
        step = self._editor.tree.step(blocker.step_id)
        is_untested = blocker.field == TEST_FIELD and (
            step is None or step.tested is not StepTestStatus.FAILED
        )
        row = _BlockerRow("circle-dashed" if is_untested else "triangle-alert")
        title = ElidedLabel(title_text, "medium")
        title.setFixedWidth(px(212))
        event = event_of(step, self._editor.app_of(step)) if step is not None else None
        link_text = blocker_link(blocker, event)
        link = Button(link_text, "link")
        link.setAccessibleName(f"{link_text}: {blocker.reason}")
        link.clicked.connect(partial(self._open_blocker, blocker))
        self.links.append(link)
        hbox(
            title,
            (ElidedLabel(blocker.reason.rstrip("."), "body", "text_secondary"), 1),
            link,
            parent=row,
            margins=(42, 0, 16, 0),
            spacing=8,
        )
        if self._editor.unavailable_reason is not None:
            link.hide()  # nothing can be done about it here
        return row

    def _note_row(self, title_text: str, text: str) -> QWidget:
        row = _BlockerRow("info")
        title = ElidedLabel(title_text, "medium")
        title.setFixedWidth(theme().px(212))
        label = ElidedLabel(text, "body", "text_secondary")
        hbox(title, (label, 1), parent=row, margins=(42, 0, 16, 0), spacing=8)
        return row

    def _open_blocker(self, blocker: Blocker) -> None:
        """Go to the issue, or start the missing test."""
        self._editor.focus(blocker)
        if blocker.step_id is not None and blocker.field in (TEST_FIELD, None):
            self.test_requested.emit()


class _BlockerRow(QWidget):
    """One issue with its link."""

    def __init__(self, mark: str) -> None:
        super().__init__()
        self._mark = mark
        self.setFixedHeight(theme().px(ROW_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        painter.fillRect(QRectF(0, 0, self.width(), 1), tokens.row_line)
        colour = tokens.warning if self._mark == "triangle-alert" else tokens.text_tertiary
        paint_mark(painter, QRectF(px(16), 0, px(16), self.height()), self._mark, colour, tokens.raised)
