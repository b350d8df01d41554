"""A form that scrolls gives its texts the height they take."""

from PySide6.QtWidgets import QGridLayout, QWidget
from pytestqt.qtbot import QtBot

from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.layout import FormScroll
from patchbay.desktop.kit.text import Label

HELP = "All flows together; other executions queue until one of them has ended, which may take a while. "


def test_the_column_grows_with_help_texts_and_when_it_gets_narrower(qtbot: QtBot) -> None:
    scroll, form = FormScroll("Engine"), QWidget()
    grid = QGridLayout(form)
    fields = [FormField(f"Field {number}", ComboBox(), help=HELP) for number in range(6)]
    for number, field in enumerate(fields):
        grid.addWidget(field, number // 2, number % 2)
    scroll.inside.column.addWidget(form)
    qtbot.addWidget(scroll)
    scroll.resize(520, 300)
    scroll.show()

    def nothing_is_cut() -> None:
        labels = [label for label in scroll.findChildren(Label) if label.isVisible() and label.wordWrap()]
        assert len(labels) == len(fields)
        assert [
            label.text() for label in labels if label.height() < label.heightForWidth(label.width())
        ] == []

    qtbot.waitUntil(nothing_is_cut)
    for field in fields:
        field.set_help(HELP * 3)
    qtbot.waitUntil(nothing_is_cut)
    scroll.resize(380, 300)
    qtbot.waitUntil(nothing_is_cut)
