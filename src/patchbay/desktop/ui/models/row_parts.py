"""Parts of rows that several lists paint alike."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.icons import paint_app
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey

FindApp = Callable[[AppKey | None], AppInfo | None]


def stay_active(option: QStyleOptionViewItem) -> None:
    """A selection fades with its window, not with the focus of its list."""
    if option.widget is not None and option.widget.window().isActiveWindow():
        option.state |= QStyle.StateFlag.State_Active


def paint_apps(painter: QPainter, area: QRectF, keys: Sequence[AppKey], find_app: FindApp) -> None:
    """Up to three app glyphs; with more apps two and "+n"."""
    shown = keys if len(keys) <= 3 else keys[:2]
    side, pitch = theme().px(16), theme().px(22)
    for place, key in enumerate(shown):
        paint_app(painter, QRectF(area.x() + place * pitch, area.y(), side, area.height()), find_app(key))
    if len(keys) > 3:
        rest = area.adjusted(2 * pitch, 0, 0, 0)
        paint_text(painter, rest, f"+{len(keys) - 2}", "caption", "text_tertiary")
