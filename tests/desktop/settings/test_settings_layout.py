"""Every page of the settings shows its texts in full, as soon as it is opened."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot
from tests.support.fake_backend import FakeBackend
from tests.support.shell import window

from patchbay.desktop.kit.layout import FormScroll
from patchbay.desktop.kit.text import ElidedLabel
from patchbay.desktop.settings.pages import SETTINGS_SECTIONS
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.tasks import Tasks


@pytest.fixture
def main(qtbot: QtBot, tasks: Tasks) -> Iterator[MainWindow]:
    made = window(tasks, backend=FakeBackend(executions=20))
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: bool(made.area and made.area.model.health and made.area.model.info))
    yield made
    made.close()


@pytest.mark.parametrize("title", [matter.title for matter in SETTINGS_SECTIONS])
def test_no_page_of_the_settings_cuts_a_text(main: MainWindow, qtbot: QtBot, title: str) -> None:
    dialog = main.open_settings("Appearance")
    qtbot.waitExposed(dialog)
    QApplication.processEvents()

    dialog.show_page(title)

    def nothing_is_cut() -> None:
        assert _cut(dialog.page(title)) == []

    qtbot.waitUntil(nothing_is_cut)
    dialog.close()


def _cut(page: QWidget) -> list[str]:
    """Texts and controls with less room than they need, and columns that are lower than their contents."""
    cut = [
        f"{scroll.accessibleName()}: {scroll.inside.height()} px"
        for scroll in page.findChildren(FormScroll)
        if scroll.inside.height() < scroll.inside.height_for(scroll.inside.width())
    ]
    for part in page.findChildren(QWidget):
        if not part.isVisible() or not isinstance(part, QLabel | QAbstractButton | QComboBox):
            continue
        if isinstance(part, ElidedLabel):
            continue
        wraps = isinstance(part, QLabel) and part.wordWrap()
        high = part.heightForWidth(part.width()) if wraps else part.sizeHint().height()
        wide = 0 if wraps or isinstance(part, QComboBox) else part.sizeHint().width()
        if part.height() < high or part.width() < wide:
            words = part.accessibleName() or getattr(part, "text", str)()
            cut.append(f"{words!r}: {part.width()}x{part.height()} of {wide}x{high}")
    return cut
