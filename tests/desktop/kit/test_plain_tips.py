"""Tooltips show what others wrote as it stands."""

import pytest
from PySide6.QtGui import QTextDocument

from patchbay.desktop.kit.buttons import IconButton
from patchbay.desktop.kit.text import plain_tip

PICTURE = "Orders <img src='//elsewhere.example/share/seen.png'>"


@pytest.mark.parametrize("text", [PICTURE, "<b>Orders</b>", "<table><tr><td>x", "&lt;b&gt;", "a & b <i>c\nd"])
def test_what_looks_like_html_is_shown_as_it_was_written(qapp, text):
    shown = QTextDocument()
    shown.setHtml(plain_tip(text))

    assert shown.toPlainText() == text


@pytest.mark.parametrize("text", ["", "Orders", "if a<b and c", "50 % & more", "first\nsecond"])
def test_all_other_words_stay_as_they_are(text):
    assert plain_tip(text) == text


def test_a_button_named_after_something_loads_no_picture(qtbot):
    button = IconButton("x", f"Delete {PICTURE}")
    qtbot.addWidget(button)

    assert "<img" not in button.toolTip()
    assert button.accessibleName() == f"Delete {PICTURE}"
