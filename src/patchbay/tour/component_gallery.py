"""The component gallery: every kit component on one page, in both colour schemes."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLayout, QSizePolicy, QVBoxLayout, QWidget

from patchbay.desktop.kit.actions import KeyCaps
from patchbay.desktop.kit.badges import Badge, Tag
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, SplitButton, paint_box
from patchbay.desktop.kit.charts import HistogramView, Sparkline
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.item_views import paint_focus, paint_status
from patchbay.desktop.kit.json_view import JsonView
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.line_edit import LineEdit, SearchField
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.secret_fields import SecretField
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import raw_tokens, theme
from patchbay.desktop.kit.toggles import CheckBox, Switch
from patchbay.domain.base import JsonObject
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionState, Histogram, HistogramBar, RunMark

SAMPLE: JsonObject = {
    "issue": {
        "title": "Crash when the folder name is empty",
        "number": 482,
        "locked": False,
        "milestone": None,
        "labels": ["bug", "ui"],
    }
}

START, SPAN = 1_795_600_800_000, 1_800_000
_STATES = (
    ExecutionState.SUCCESS,
    ExecutionState.FAILURE,
    ExecutionState.RUNNING,
    ExecutionState.WAITING,
    ExecutionState.QUEUED,
    ExecutionState.FILTERED,
    ExecutionState.CANCELLED,
    None,
    ConnectionHealth.NEEDS_ATTENTION,
)


def sample_histogram() -> Histogram:
    """Half hours of a day, the same each time."""
    bars = tuple(
        HistogramBar(
            start=START + place * SPAN,
            success=3 + place * 7 % 11,
            failure=2 if place in (4, 11, 29) else 0,
            other=place % 9 == 3,
        )
        for place in range(36)
    )
    return Histogram(span_ms=SPAN, bars=bars)


class Gallery(QWidget):
    """Three columns: controls; states, rows, data; colours."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "surface")
        row = hbox(parent=self, spacing=0)
        for number, (column, stretch) in enumerate(((_controls(), 20), (_content(), 20), (_colours(), 22))):
            if number:
                row.addWidget(line(vertical=True))
            row.addWidget(column, stretch)


def _column() -> tuple[QWidget, QVBoxLayout]:
    holder = QWidget()
    column = vbox(parent=holder, margins=(22, 16, 22, 16), spacing=7)
    return holder, column


def _title(column: QVBoxLayout, words: str) -> None:
    if column.count():
        column.addSpacing(theme().px(6))
    column.addWidget(Label(words, "caption_strong", "text_tertiary"))


def _row(*widgets: QWidget, spacing: int = 8, stretch: bool = True) -> QLayout:
    return hbox(*widgets, *([Stretch()] if stretch else []), spacing=spacing)


def _disabled(widget: QWidget) -> QWidget:
    widget.setEnabled(False)
    return widget


def _controls() -> QWidget:
    holder, column = _column()
    _title(column, "Type")
    for words, role, token in (
        ("Display 22 / 28, semibold", "display", "text"),
        ("Title 16 / 22, semibold", "title", "text"),
        ("Body 13 / 18, regular", "body", "text"),
        ("Caption 12 / 16, secondary text", "caption", "text_secondary"),
        ("Code 12 / 18, fixed 0O 1lI", "code", "text"),
    ):
        column.addWidget(Label(words, role, token))
    _title(column, "Buttons, 30 px (26 in rows, 34 in dialogs)")
    column.addLayout(
        _row(
            Button("Primary", "primary"),
            Button("Default"),
            Button("With icon", icon="download"),
            Button("Link", "link"),
        )
    )
    column.addLayout(
        _row(_disabled(Button("Disabled")), Button("Delete flow", "danger"), Button("Small", small=True))
    )
    busy = Button("Testing")
    busy.set_busy(True, "Testing")
    chosen = IconButton("list", "As a list")
    chosen.setCheckable(True)
    chosen.setChecked(True)
    menu = Menu(holder, "New flow")
    column.addLayout(
        _row(SplitButton("New flow", menu, "plus"), chosen, IconButton("layout-grid", "As a grid"), busy)
    )
    _title(column, "Fields")
    column.addLayout(_fields())
    _title(column, "Choices")
    column.addLayout(_choices())
    _title(column, "Filter chips, tags, badges, key caps")
    chip = FilterChip("Status")
    chip.set_options([("failure", "Failure")])
    chip.set_value("failure")
    column.addLayout(_row(FilterChip("Status"), chip, Badge(7), Badge(2, "warning"), KeyCaps(["Ctrl", "K"])))
    column.addLayout(
        _row(
            Tag("Test"),
            Tag("Draft", "accent"),
            Tag("Valid", "success", "circle-check"),
            Tag("Needs attention", "warning", "triangle-alert"),
            Tag("Rejected", "failure"),
        )
    )
    column.addStretch(1)
    return holder


def _fields() -> QGridLayout:
    grid = QGridLayout()
    grid.setSpacing(theme().px(8))
    wrong, fixed = LineEdit("Invalid value"), LineEdit("Read-only")
    wrong.set_invalid(True)
    fixed.setReadOnly(True)
    choice = ComboBox("Choice")
    choice.set_options([("choice", "Choice")])
    off = LineEdit("", "Disabled")
    off.setEnabled(False)
    fields: tuple[QWidget, ...] = (
        LineEdit("", "Placeholder"),
        SearchField("Filter", key_cap="/"),
        wrong,
        fixed,
        choice,
        off,
    )
    for number, field in enumerate(fields):
        field.setAccessibleName(field.accessibleName() or "Sample")
        grid.addWidget(field, number // 2, number % 2)
    secret = SecretField()
    secret.set_text("not shown")
    form = FormField("API key", secret, True, "")
    form.set_error("Todoist rejected this key.")
    grid.addWidget(form, 3, 0, 1, 2)
    return grid


def _choices() -> QLayout:
    on = CheckBox("On")
    some = CheckBox("Some")
    off = CheckBox("Off")
    on.setChecked(True)
    some.setTristate(True)
    some.setCheckState(Qt.CheckState.PartiallyChecked)
    draft, published = Switch(text="Draft"), Switch(text="Published")
    published.setChecked(True)
    return _row(off, on, some, draft, published, spacing=14)


def _content() -> QWidget:
    holder, column = _column()
    _title(column, "Execution states: icon, word, colour")
    column.addWidget(_States())
    _title(column, "Row states, 32 px")
    column.addWidget(_Rows())
    _title(column, "Last 20 runs, and executions over time")
    runs = Sparkline()
    marks = [RunMark(state=ExecutionState.SUCCESS, duration_ms=900 + 90 * (place % 5)) for place in range(16)]
    runs.set_marks([*marks, *[RunMark(state=ExecutionState.FAILURE)] * 2])
    column.addWidget(runs)
    chart = HistogramView()
    chart.set_histogram(sample_histogram())
    chart.set_brush((START + 24 * SPAN, START + 36 * SPAN))
    column.addWidget(chart)
    _title(column, "JSON tree, 22 px rows")
    data = JsonView(search=False)
    data.set_value(SAMPLE, depth=1)
    data.setFixedHeight(theme().px(112))
    column.addWidget(data)
    _title(column, "Messages")
    column.addWidget(MessageBox("failure", "Todoist rejected the credentials", "Reconnect it."))
    column.addWidget(MessageBox("warning", "Expires tomorrow", "Sign in again to keep it."))
    column.addWidget(MessageBox("success", "Connected", "Ops on-call works."))
    column.addStretch(1)
    return holder


class _States(QWidget):
    """All states in three columns."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(theme().px(78))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        width, height = self.width() / 3, self.height() / 3
        for number, state in enumerate(_STATES):
            rect = QRectF(number % 3 * width, number // 3 * height, width, height)
            paint_status(painter, rect, state)


class _Rows(QWidget):
    """Rows as tables paint them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(theme().px(32) * 5)

    def paintEvent(self, event: QPaintEvent) -> None:
        current, tokens = theme(), theme().tokens
        painter = QPainter(self)
        height = current.px(32)
        for number, (words, ground, state) in enumerate(
            (
                ("Normal", None, ExecutionState.SUCCESS),
                ("Hover", tokens.hover, ExecutionState.SUCCESS),
                ("Selected", tokens.selected, ExecutionState.FAILURE),
                ("Selected, window inactive", tokens.selected_inactive, ExecutionState.WAITING),
                ("Keyboard focus", None, ExecutionState.FILTERED),
            )
        ):
            rect = QRectF(0, number * height, self.width(), height)
            if ground:
                painter.fillRect(rect, ground)
            if number == 2:
                painter.fillRect(QRectF(0, rect.y(), current.px(3), height), tokens.accent)
            painter.fillRect(QRectF(0, rect.bottom() - 1, self.width(), 1), tokens.row_line)
            paint_status(painter, rect.adjusted(12, 0, 0, 0), state)
            paint_text(painter, rect.adjusted(current.px(100), 0, 0, 0), words, "medium")
            paint_text(painter, rect.adjusted(0, 0, -12, 0), "1.9 s", align=Qt.AlignmentFlag.AlignRight)
            if number == 4:
                paint_focus(painter, rect.toRect())


def _colours() -> QWidget:
    holder, column = _column()
    grid = QGridLayout()
    grid.setVerticalSpacing(theme().px(7))
    for number, name in enumerate(raw_tokens()["color"][theme().scheme]):
        grid.addWidget(_Swatch(name), number // 3, number % 3)
    _title(column, "Colours")
    column.addLayout(grid)
    column.addStretch(1)
    return holder


class _Swatch(QWidget):
    """One colour with its name and value."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setFixedHeight(theme().px(34))

    def sizeHint(self) -> QSize:
        return QSize(theme().px(128), theme().px(34))

    def paintEvent(self, event: QPaintEvent) -> None:
        current = theme()
        px, value = current.px, raw_tokens()["color"][current.scheme][self._name]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in self._name)
        paint_box(
            painter, QRectF(0, px(3), px(28), px(28)), current.color(snake), current.tokens.border_button
        )
        paint_text(painter, QRectF(px(36), 0, self.width() - px(36), px(18)), self._name, "caption")
        paint_text(
            painter, QRectF(px(36), px(16), self.width() - px(36), px(18)), value, "code", "text_tertiary"
        )
