"""The picture of a step at the head of its form."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.accessibility import Spoken
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.icons import paint_app_tile, paint_icon
from patchbay.desktop.ui.kit.marks import STRUCTURE_ICONS
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.flows import Step


class StepTile(Spoken, QWidget):
    """The app of the step, or the icon of what it does with others, 32 px."""

    def __init__(self) -> None:
        super().__init__()
        self._app: AppInfo | None = None
        self._icon = ""
        self.setFixedSize(theme().px(32), theme().px(32))

    def show_step(self, step: Step, app: AppInfo | None) -> None:
        self._app, self._icon = app, STRUCTURE_ICONS.get(step.structural_type, "")
        self.setAccessibleName(app.name if app else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._icon:
            paint_box(painter, QRectF(self.rect()), theme().tokens.accent_soft, None)
            paint_icon(painter, QRectF(self.rect()), self._icon, "accent_text")
        else:
            paint_app_tile(painter, QRectF(self.rect()), self._app)
