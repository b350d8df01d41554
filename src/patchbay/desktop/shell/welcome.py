"""The welcome page: the choice of a workspace."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, paint_box
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.layout import Card, surface
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.shell.header import DEMO, LOCAL

Point = tuple[str, str]
FOOTER_TEXT = tr(
    "You can have several workspaces and switch between them at the top left. Patchbay sends no usage data."
)


class WelcomePage(QWidget):
    """Three cards: the demo, this computer (suggested), and a server."""

    workspace_requested = Signal(str)
    server_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "window")
        px = theme().px
        self.demo = Button(tr("Open the demo"), large=True)
        self.local = Button(tr("Start on this computer"), "primary", large=True)
        self.server = Button(tr("Connect…"), large=True)
        self.demo.clicked.connect(lambda: self.workspace_requested.emit(DEMO))
        self.local.clicked.connect(lambda: self.workspace_requested.emit(LOCAL))
        self.server.clicked.connect(self.server_requested)
        column = vbox(
            Stretch(),
            (Logo(), 0, Qt.AlignmentFlag.AlignHCenter),
            18,
            parent=self,
            margins=(24, 24, 24, 20),
            spacing=0,
        )
        for text_label, role, token in (
            (tr("Welcome to Patchbay"), "display", "text"),
            (
                tr("Connect your apps and automate work between them. Where do you want to work?"),
                "body",
                "text_secondary",
            ),
        ):
            column.addWidget(Label(text_label, role, token), 0, Qt.AlignmentFlag.AlignHCenter)
            column.addSpacing(px(6))
        column.addSpacing(px(30))
        column.addLayout(self._build_cards())
        column.addStretch(3)
        column.addWidget(Label(FOOTER_TEXT, "caption", "text_tertiary"), 0, Qt.AlignmentFlag.AlignHCenter)

    def activate(self) -> None:
        """Move the focus to the button for this computer."""
        self.local.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build_cards(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme().px(16))
        row.addStretch(1)
        row.addWidget(
            _build_card(
                "flask-conical",
                tr("Try the demo"),
                tr("Sample flows and executions of a fictional company. Nothing leaves this computer."),
                (("check", tr("No account, no set-up")), ("check", tr("Reset it at any time"))),
                self.demo,
            )
        )
        row.addWidget(
            _build_card(
                "monitor",
                tr("Use this computer"),
                tr("Flows run here, while Patchbay is open or in the background."),
                (
                    ("check", tr("Works offline, no server needed")),
                    ("check", tr("Your data stays in one folder, with encrypted credentials")),
                    ("info", tr("Webhooks need a public address")),
                ),
                self.local,
                suggested=True,
            )
        )
        row.addWidget(
            _build_card(
                "server",
                tr("Connect to a server"),
                tr("See and manage flows on a Patchbay or Automatisch server."),
                (
                    ("key-round", tr("You need its address and an API key")),
                    ("check", tr("Flows run even when this computer is off")),
                ),
                self.server,
            )
        )
        row.addStretch(1)
        return row


def _build_card(
    icon: str, title: str, text: str, points: Sequence[Point], button: Button, *, suggested: bool = False
) -> Card:
    px = theme().px
    card = Card(padding=21, radius=10)
    card.accent = suggested
    card.setFixedWidth(px(312))
    card.setMinimumHeight(px(348))
    card.body.setSpacing(0)
    head = hbox((IconTile(icon, accent=suggested), 0, Qt.AlignmentFlag.AlignTop), Stretch())
    if suggested:
        head.addWidget(Tag(tr("Recommended"), "accent"), 0, Qt.AlignmentFlag.AlignTop)
    card.body.addLayout(head)
    card.body.addSpacing(px(14))
    card.body.addWidget(Label(title, "title"))
    card.body.addSpacing(px(4))
    text_label = Label(text, "body", "text_secondary", wrap=True)
    text_label.setAlignment(Qt.AlignmentFlag.AlignTop)
    text_label.setMinimumHeight(px(54))
    card.body.addWidget(text_label)
    card.body.addSpacing(px(12))
    for name, point in points:
        card.body.addWidget(_PointRow(name, point))
        card.body.addSpacing(px(8))
    card.body.addStretch(1)
    card.body.addWidget(button)
    return card


class _PointRow(QWidget):
    """A line of a card: an icon and a text."""

    def __init__(self, icon: str, text: str) -> None:
        super().__init__()
        self._icon = icon
        text_label = Label(text, "body", "text_secondary", wrap=True)
        hbox(text_label, parent=self, margins=(24, 0, 0, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        paint_icon(QPainter(self), QRectF(0, px(1), px(16), px(16)), self._icon)


class IconTile(QWidget):
    """An icon on a tile of 40 px."""

    def __init__(self, icon: str, *, accent: bool = False, side: int = 40) -> None:
        super().__init__()
        self._icon, self._accent = icon, accent
        self.setFixedSize(theme().px(side), theme().px(side))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_box(painter, QRectF(self.rect()), tokens.accent_soft if self._accent else tokens.window, None)
        paint_icon(
            painter, QRectF(self.rect()), self._icon, "accent_text" if self._accent else "text_secondary", 20
        )


class Logo(QWidget):
    """The logo: a cable between two sockets of a patch bay."""

    def __init__(self, side: int = 56) -> None:
        super().__init__()
        self.setFixedSize(theme().px(side), theme().px(side))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_logo(painter, QRectF(self.rect()))


def paint_logo(painter: QPainter, rect: QRectF) -> None:
    """Paint the logo in a square area."""
    side, tokens = rect.width(), theme().tokens
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.accent)
    painter.drawRoundedRect(QRectF(0, 0, side, side), side * 0.21, side * 0.21)
    low = side * 0.29
    high = side * 0.71
    radius = side * 0.085
    width = side * 0.055
    faint = QColor(tokens.on_accent)
    faint.setAlphaF(0.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for x, y, colour in (
        (high, low, faint),
        (low, high, faint),
        (low, low, tokens.on_accent),
        (high, high, tokens.on_accent),
    ):
        painter.setPen(QPen(colour, width))
        painter.drawEllipse(QPointF(x, y + side * 0.02), radius, radius)
    cord = QPainterPath(QPointF(low, low + side * 0.02))
    cord.cubicTo(
        QPointF(low + side * 0.02, side * 0.6), QPointF(high - side * 0.02, side * 0.4), QPointF(high, high)
    )
    painter.setPen(QPen(tokens.on_accent, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPath(cord)
    painter.restore()
