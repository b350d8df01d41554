from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QListView, QWidget
from pytestqt.qtbot import QtBot
from tests.support.stall import StallMeter

from patchbay.desktop.core.notices import Notice
from patchbay.desktop.core.times import age, duration
from patchbay.desktop.kit import theme
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.list_states import ListStack, StatePage
from patchbay.desktop.kit.messages import MessageBox, ToastHost
from patchbay.desktop.kit.text import clock_time, full_time, when
from patchbay.domain.errors import ThirdPartyError, Unreachable
from patchbay.tour.component_gallery import Gallery

NOW = int(datetime(2026, 11, 20, 14, 42).timestamp() * 1000)
MINUTE = 60_000
HOUR = 3_600_000
DAY = 86_400_000


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    made = QWidget()
    made.resize(800, 600)
    qtbot.addWidget(made)
    made.show()
    return made


def buttons(host: QWidget) -> dict[str, Button]:
    QApplication.processEvents()  # widgets added to a shown layout appear with the next turn of the loop
    return {button.text(): button for button in host.findChildren(Button) if button.isVisible()}


def test_a_toast_offers_undo_once_and_goes(page: QWidget) -> None:
    host, undone = ToastHost(page), []
    host.post(Notice("Flow moved to Finance", lambda: undone.append(1)))
    toast = host.toasts[0]
    assert (host.text(), toast.isVisible(), toast.timer.interval()) == ("Flow moved to Finance", True, 10_000)

    toast.button.click()

    assert (undone, toast.isVisible(), host.toasts) == ([1], False, [])


def shown(host: ToastHost) -> list[str]:
    return [toast.notice.text for toast in sorted(host.toasts, key=lambda toast: toast.y())]


def test_a_passing_message_is_replaced_by_the_next(page: QWidget) -> None:
    host = ToastHost(page)
    host.post(Notice("First"))

    host.post(Notice("Second"))

    assert (shown(host), host.toasts[0].timer.interval()) == (["Second"], 6000)


def test_messages_with_undo_and_errors_are_stacked_above_later_ones(page: QWidget) -> None:
    host = ToastHost(page)
    host.post(Notice("Flow deleted", lambda: None))
    host.post(Notice("No connection", severity="error"))

    host.post(Notice("Copied"))
    host.post(Notice("Saved"))

    assert shown(host) == ["Flow deleted", "No connection", "Saved"]


def test_a_message_replaces_one_about_the_same_subject(page: QWidget) -> None:
    host = ToastHost(page)
    host.post(Notice("Renamed to “A”", lambda: None, subject="flow-1"))
    host.post(Notice("Renamed to “B”", lambda: None, subject="flow-2"))

    host.post(Notice("Renamed to “C”", lambda: None, subject="flow-1"))

    assert shown(host) == ["Renamed to “B”", "Renamed to “C”"]


def test_first_use_no_match_and_error_each_have_their_way_on(page: QWidget) -> None:
    state, done = StatePage(page), []
    state.resize(600, 500)
    state.show()

    state.show_empty(
        "workflow",
        "No flows yet",
        "A flow watches one app.",
        [("New flow", lambda: done.append("new"), "plus")],
    )
    buttons(state)["New flow"].click()
    state.show_no_match(lambda: done.append("clear"))
    buttons(state)["Clear filters"].click()
    state.show_error(
        Unreachable("No answer.", meaning="The network works.", todo="Wait."), lambda: done.append("retry")
    )
    buttons(state)["Try again"].click()

    assert done == ["new", "clear", "retry"]
    assert (state.kind, state.title) == ("error", "No answer.")


def test_the_raw_error_folds_out(page: QWidget) -> None:
    state = StatePage(page)
    state.resize(600, 500)
    state.show()
    state.show_error(ThirdPartyError(app="Redmine", said="Not today", status=500))

    buttons(state)["Details"].click()

    assert state._message_page._details_view.isVisible()


def test_loading_shows_nothing_at_first_then_rows(qtbot: QtBot, page: QWidget) -> None:
    state = StatePage(page)
    state.show()
    state.show_loading("Loading executions")
    assert not state._skeleton.shown

    qtbot.waitUntil(lambda: state._skeleton.shown)


def test_a_list_and_its_page_take_turns(page: QWidget) -> None:
    stack = ListStack(QListView(), page)

    stack.show_page().show_empty("folder", "No folders", "")
    assert not stack.is_showing_rows

    stack.show_rows()
    assert stack.is_showing_rows


def test_a_list_gets_the_focus_as_soon_as_it_has_rows(page: QWidget) -> None:
    stack = ListStack(QListView(), page)
    stack.show()
    stack.show_page().show_loading("Loading executions")
    stack.enter()

    stack.show_rows()

    assert page.focusWidget() is stack.view


def test_rows_that_arrive_late_leave_the_focus_in_a_filter(page: QWidget) -> None:
    stack, search = ListStack(QListView(), page), LineEdit(parent=page)
    stack.show()
    stack.show_page().show_loading("Loading executions")
    stack.enter()
    search.show()
    search.setFocus()

    stack.show_rows()

    assert page.focusWidget() is search


def test_rows_that_arrive_after_their_tab_was_left_take_no_focus(page: QWidget) -> None:
    stack = ListStack(QListView(), page)
    stack.show()
    stack.show_page().show_loading("Loading executions")
    stack.enter()

    stack.hide()
    stack.show_rows()
    stack.show()

    assert page.focusWidget() is not stack.view


def test_a_destructive_question_waits_on_cancel(qtbot: QtBot, page: QWidget) -> None:
    answers: list[str] = []
    dialog = confirm(
        page,
        "Delete “Inventory check”?",
        "The flow stops at once.",
        "Delete flow",
        True,
        lambda: answers.append("yes"),
    )
    qtbot.waitUntil(dialog.isVisible)
    assert dialog.focusWidget() is buttons(dialog)["Cancel"]

    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert (answers, dialog.isVisible()) == ([], False)


def test_enter_presses_the_primary_button(qtbot: QtBot, page: QWidget) -> None:
    dialog, done = Dialog(page, "Rename"), []
    dialog.add_buttons("Rename", lambda: done.append(1))
    dialog.open()

    qtbot.keyClick(dialog, Qt.Key.Key_Return)

    assert done == [1]
    dialog.close()


def test_a_message_runs_its_actions_and_is_read_as_a_whole() -> None:
    done: list[int] = []
    box = MessageBox(
        "failure", "Todoist refused the sign-in", "Reconnect it.", [("Reconnect…", lambda: done.append(1))]
    )

    box.findChild(Button).click()

    assert (done, box.accessibleName()) == ([1], "Todoist refused the sign-in Reconnect it.")


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("The disk is full.", "The disk is full"),
        ("The disk is full. Nothing was saved.", "The disk is full. Nothing was saved."),
        ("No passphrase is set", "No passphrase is set"),
    ],
)
def test_the_title_of_a_message_has_no_full_stop_unless_it_is_two_sentences(title: str, shown: str) -> None:
    box = MessageBox("failure", title, "Free some space.")

    assert shown in [label.text() for label in box.findChildren(QLabel)]
    assert box.accessibleName() == f"{title} Free some space."


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_part_of_the_kit_paints_and_every_control_has_a_name(
    qtbot: QtBot, qapp: QApplication, scheme: str
) -> None:
    theme.apply(qapp, scheme)  # type: ignore[arg-type]
    gallery = Gallery()
    qtbot.addWidget(gallery)
    gallery.resize(1280, 800)
    gallery.show()

    assert not gallery.grab().isNull()
    nameless = [
        widget for widget in gallery.findChildren(QWidget) if _focusable(widget) and not _name(widget)
    ]
    assert nameless == []


def _focusable(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible()


def _name(widget: QWidget) -> str:
    words = getattr(widget, "text", None)
    return widget.accessibleName() or (words() if callable(words) else "")


def test_the_stall_meter_sees_a_frozen_window(qtbot: QtBot) -> None:
    def freeze() -> None:
        from time import perf_counter

        end = perf_counter() + 0.06
        while perf_counter() < end:
            pass

    from PySide6.QtCore import QTimer

    with StallMeter() as meter:
        QTimer.singleShot(10, freeze)
        qtbot.waitUntil(lambda: meter.longest_ms >= 40 and meter.beats > 5)

    assert meter.longest_ms >= 40


def test_times_read_as_people_say_them() -> None:
    assert when(NOW - 4 * MINUTE, NOW) == clock_time(NOW - 4 * MINUTE)
    assert when(NOW - DAY, NOW) == "Thu 19, 14:42"
    assert when(NOW - 8 * DAY, NOW) == "12 Nov, 14:42"
    assert when(NOW - 60 * DAY, NOW) == "21 Sep, 14:42"
    assert when(NOW - 365 * DAY, NOW) == "20 Nov 2025, 14:42"
    assert when(None, NOW) == "–"
    assert full_time(NOW, NOW) == "Fri 20 Nov, 14:42:00"
    assert [age(NOW - ms, NOW) for ms in (0, 2 * MINUTE, HOUR, 3 * DAY)] == ["now", "2 min", "1 h", "3 d"]


def test_lengths_of_time_get_the_unit_they_need() -> None:
    assert [
        duration(ms, parts=2, exact=True) for ms in (None, 2, 340, 1900, 30_000, 125_000, 3_840_000, 2 * DAY)
    ] == [
        "–",
        "2 ms",
        "340 ms",
        "1.9 s",
        "30.0 s",
        "2 min 5 s",
        "1 h 4 min",
        "2 d 0 h",
    ]


def test_durations_in_whole_units_leave_out_a_part_that_is_0() -> None:
    lengths = (-5, 8_400, 185_000, 3 * MINUTE, 2 * HOUR + 5 * MINUTE, 3 * DAY + 4 * HOUR, 100 * DAY + HOUR)

    assert [duration(ms) for ms in lengths] == ["0 s", "8 s", "3 min", "3 min", "2 h", "3 d", "100 d"]
    in_two_parts = "0 s, 8 s, 3 min 5 s, 3 min, 2 h 5 min, 3 d 4 h, 100 d"
    assert ", ".join(duration(ms, parts=2) for ms in lengths) == in_two_parts
