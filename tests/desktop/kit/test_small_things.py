"""Small things people notice: toasts beside bars, names being typed, details without technical words."""

import pytest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from patchbay.desktop.core.notices import Notice
from patchbay.desktop.kit.item_views import begin_rename
from patchbay.desktop.kit.list_states import StatePage
from patchbay.desktop.kit.messages import AVOIDED_BY_TOASTS, ToastHost
from patchbay.domain.errors import Conflict, ValidationFailed


@pytest.fixture
def page(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(900, 600)
    return made


def test_a_toast_stays_above_a_bar_that_comes_and_goes(qtbot, page):
    bar = QWidget()
    bar.setObjectName(AVOIDED_BY_TOASTS)
    bar.setFixedHeight(48)
    column = QVBoxLayout(page)
    column.addStretch(1)
    column.addWidget(bar)
    page.show()
    toasts = ToastHost(page)

    toasts.post(Notice("3 flows published"))
    above = toasts.toasts[0].geometry().bottom()
    bar.hide()

    assert above < bar.y()
    qtbot.waitUntil(lambda: toasts.toasts[0].geometry().bottom() > above)


def test_a_name_to_change_is_selected_and_what_is_typed_survives_a_refresh(page):
    editor = QLineEdit(page)

    begin_rename(editor, "New folder")
    selected = editor.selectedText()
    editor.setText("Invoices")
    begin_rename(editor, "New folder")

    assert (selected, editor.text()) == ("New folder", "Invoices")


def test_an_error_page_has_details_only_where_there_are_facts(page):
    shown = StatePage(page)

    shown.show_error(Conflict("Somebody else changed this flow."))

    assert not shown._message_page._details


@pytest.mark.parametrize(
    ("message", "words"),
    [("Enter Instance URL.", "Enter Instance URL."), ("must be a number", "instanceUrl: must be a number")],
)
def test_a_whole_sentence_is_shown_without_its_field_key(message, words):
    assert ValidationFailed({"instanceUrl": [message]}).happened == words
