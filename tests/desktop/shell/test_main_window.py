from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.shell import StubTab, stub_tabs, window

from patchbay.desktop.core.frame_options import FrameOptions, InMemoryState
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.kit import theme
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.settings.dialog import SettingsDialog
from patchbay.desktop.settings.window_options import Appearance, ShellOptions
from patchbay.desktop.shell.main_window import MainWindow, open_main_window
from patchbay.desktop.shell.server_dialog import server_address
from patchbay.desktop.tasks import Tasks
from patchbay.domain.errors import AuthRequired
from patchbay.domain.executions import ExecutionState

NAMES = ["Flows", "Executions", "Folders", "Templates", "My Apps"]


@pytest.fixture
def main(qtbot: QtBot, tasks: Tasks) -> Iterator[MainWindow]:
    made = window(tasks)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: bool(made.area and made.area.model.health and made.area.model.info))
    yield made
    made.close()


def stub(main: MainWindow, tab: Tab) -> StubTab:
    assert main.area is not None
    view = main.area.views[tab]
    assert isinstance(view, StubTab)
    return view


def test_the_tabs_have_exactly_their_names_also_for_screen_readers(main: MainWindow) -> None:
    bar = main.area.header.tabs
    spoken = QAccessible.queryAccessibleInterface(bar)

    assert [bar.tabText(place) for place in range(bar.count())] == NAMES
    said = [spoken.child(place).text(QAccessible.Text.Name) for place in range(spoken.childCount())]
    assert said[:5] == NAMES


def test_the_header_is_painted_before_any_tab_is_built(qtbot: QtBot, tasks: Tasks) -> None:
    made = window(tasks)
    qtbot.addWidget(made)
    assert made.area.views == {}

    made.show()

    qtbot.waitUntil(lambda: list(made.area.views) == [Tab.FLOWS])
    assert stub(made, Tab.FLOWS).activations == 1


def test_what_is_clicked_before_the_window_is_complete_happens_afterwards(qtbot: QtBot, tasks: Tasks) -> None:
    made = MainWindow(FrameOptions("local", ("https://flows.example.org",)))
    qtbot.addWidget(made)
    made.show()
    header = made.start_page.header

    header.settings.click()
    header.tabs.show_tab(Tab.FOLDERS)
    qtbot.keyClick(made, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert made.windowTitle() == "This computer – Patchbay"
    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)
    made.open_workspace(services(tasks), ShellOptions(workspace="local"))

    assert made.area.header is header
    qtbot.waitUntil(lambda: made.palette_view is not None)
    assert list(made.area.views) == [Tab.FOLDERS]


def test_letters_typed_after_an_early_shortcut_land_in_the_field_that_it_opens(
    qtbot: QtBot, tasks: Tasks
) -> None:
    made = MainWindow(FrameOptions("local"))
    qtbot.addWidget(made)
    made.show()

    qtbot.keyClick(made, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(made, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(made, "new?")
    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)
    made.open_workspace(services(tasks), ShellOptions(workspace="local"))

    qtbot.waitUntil(lambda: made.palette_view is not None)
    assert made.palette_view.field.text() == "new?"


def test_only_the_last_of_what_is_clicked_early_takes_effect_without_letters_typed_before(
    qtbot: QtBot, tasks: Tasks
) -> None:
    made = MainWindow(FrameOptions("local"))
    qtbot.addWidget(made)
    made.show()

    made.start_page.header.settings.click()
    qtbot.keyClick(made, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(made, "old")
    made.start_page.header.search.click()
    qtbot.keyClicks(made, "new")
    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)
    made.open_workspace(services(tasks), ShellOptions(workspace="local"))

    qtbot.waitUntil(lambda: made.palette_view is not None)
    assert made.palette_view.field.text() == "new"
    assert made.findChildren(SettingsDialog) == []


def test_what_was_clicked_early_is_forgotten_if_the_welcome_page_comes_first(
    qtbot: QtBot, tasks: Tasks
) -> None:
    made = MainWindow(FrameOptions("local"))
    qtbot.addWidget(made)
    made.show()
    made.start_page.header.search.click()
    qtbot.keyClicks(made, "new")
    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)

    made.show_welcome()
    made.open_workspace(services(tasks), ShellOptions(workspace="demo"))
    qtbot.waitUntil(lambda: made.area.has_view)

    assert made.palette_view is None


def test_a_frame_that_was_closed_closes_although_the_welcome_page_comes_first(
    qtbot: QtBot, tasks: Tasks
) -> None:
    made = MainWindow(FrameOptions("local"))
    qtbot.addWidget(made)
    made.show()
    made.close()
    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)

    made.show_welcome()

    qtbot.waitUntil(lambda: not made.isVisible())


def test_closing_the_frame_of_this_computer_asks_about_published_flows_once_they_are_known(
    qtbot: QtBot, tasks: Tasks
) -> None:
    made = MainWindow(FrameOptions("local"))
    qtbot.addWidget(made)
    made.show()

    made.close()
    assert made.isVisible()
    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)
    made.open_workspace(services(tasks), ShellOptions(workspace="local", on_close="ask"))

    qtbot.waitUntil(lambda: made.background.dialog is not None)
    made.quit()


@pytest.mark.parametrize(("workspace", "closes"), [("demo", 1), ("local", 2)])
def test_the_frame_closes_at_once_if_nothing_runs_there_or_at_the_second_time(
    qtbot: QtBot, workspace: str, closes: int
) -> None:
    made = MainWindow(FrameOptions(workspace))
    qtbot.addWidget(made)
    made.show()

    visible = []
    for _ in range(closes):
        made.close()
        visible.append(made.isVisible())

    assert visible == [True] * (closes - 1) + [False]


def test_a_workspace_that_is_chosen_before_the_window_is_complete_is_opened_afterwards(
    qtbot: QtBot, tasks: Tasks
) -> None:
    made = MainWindow(FrameOptions("demo", ("https://flows.example.org",)))
    qtbot.addWidget(made)
    made.show()
    requested: list[str] = []
    made.workspace_requested.connect(requested.append)
    menu = made.start_page.header.switcher.build_menu()

    next(entry for entry in menu.actions() if entry.text() == "flows.example.org").trigger()
    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)
    assert requested == []
    made.open_workspace(services(tasks), ShellOptions(workspace="demo"))

    qtbot.waitUntil(lambda: requested == ["https://flows.example.org"])


def test_a_frame_whose_workspace_is_not_opened_becomes_the_welcome_page(qtbot: QtBot, tasks: Tasks) -> None:
    made = MainWindow(FrameOptions("local"))
    qtbot.addWidget(made)
    made.show()

    made.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)
    made.show_welcome()

    assert made.welcome.isVisible()
    assert made.start_page is None


def test_keys_bring_up_tabs_and_the_way_back(qtbot: QtBot, main: MainWindow) -> None:
    qtbot.keyClick(main, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(main, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    assert main.area.tab is Tab.MY_APPS

    qtbot.keyClick(main, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert main.area.tab is Tab.FOLDERS

    qtbot.keyClick(main, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert main.area.tab is Tab.FLOWS


def test_a_slash_puts_the_cursor_in_the_filter_and_is_a_letter_there(qtbot: QtBot, main: MainWindow) -> None:
    main.area.header.tabs.setFocus()
    qtbot.keyClick(main.area.header.tabs, Qt.Key.Key_Slash)
    field = stub(main, Tab.FLOWS).field
    assert field.hasFocus()

    qtbot.keyClicks(field, "a/b")
    assert field.text() == "a/b"


def test_f6_goes_round_the_parts_of_the_window(qtbot: QtBot, main: MainWindow) -> None:
    main.area.header.tabs.setFocus()
    seen = []
    for _ in range(3):
        qtbot.keyClick(main, Qt.Key.Key_F6)
        focused = QApplication.focusWidget()
        parts = (main.area.header, main.area.pages, main.area.status)
        seen.append(next(part for part in parts if part.isAncestorOf(focused)))

    assert seen == [main.area.pages, main.area.status, main.area.header]


def test_tabs_send_each_other_places_through_the_navigator(main: MainWindow) -> None:
    place = Place(Tab.EXECUTIONS, id="e1")

    main.area.services.navigator.go(place)

    assert main.area.tab is Tab.EXECUTIONS
    assert stub(main, Tab.EXECUTIONS).places == [place]


def test_the_status_bar_tells_the_state_and_leads_to_it(main: MainWindow) -> None:
    status = main.area.status
    assert status.engine.words() == "Engine running"
    assert status.failures.words() == "7 failures today"
    tip = "Show what failed since today 00:00 and hasn't been retried, without tests"
    assert status.failures.toolTip() == plain_tip(tip)
    assert status.next.words().startswith("Next run ")

    status.failures.click()

    place = stub(main, Tab.EXECUTIONS).places[0]
    assert place.where.states == (ExecutionState.FAILURE,)
    assert place.where.started_after is not None


def test_failures_are_no_longer_new_after_looking_at_them(main: MainWindow) -> None:
    tabs = main.area.header.tabs
    assert tabs.badge(Tab.EXECUTIONS) == 7

    main.area.show_tab(Tab.EXECUTIONS)
    main.area.show_tab(Tab.FLOWS)

    assert tabs.badge(Tab.EXECUTIONS) == 0


def test_notices_become_toasts(main: MainWindow) -> None:
    main.area.services.notices.post("Flow moved", undo=lambda: None)

    assert main.area.toasts.text() == "Flow moved"


def test_new_flow_opens_its_editor(qtbot: QtBot, main: MainWindow) -> None:
    qtbot.keyClick(main, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)

    qtbot.waitUntil(lambda: bool(stub(main, Tab.FLOWS).places))
    assert stub(main, Tab.FLOWS).places[0].section == "editor"


def test_the_palette_finds_actions_flows_and_apps(qtbot: QtBot, main: MainWindow) -> None:
    qtbot.keyClick(main, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = main.palette_view
    assert palette is not None
    qtbot.waitUntil(lambda: bool(main.area.objects.flows))

    qtbot.keyClicks(palette.field, "my apps")
    assert palette.titles()[0] == "Go to My Apps"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert main.area.tab is Tab.MY_APPS

    main.open_palette()
    qtbot.waitUntil(lambda: main.palette_view is not None)
    name = main.area.objects.flows[0].name
    main.palette_view.field.setText(name)
    assert name in main.palette_view.titles()


def test_the_palette_says_why_something_cannot_be_done_and_does_not_do_it(
    qtbot: QtBot, main: MainWindow
) -> None:
    asked: list[str] = []
    main.workspace_requested.connect(asked.append)
    main.open_palette()
    palette = main.palette_view
    palette.field.setText("work on this computer")

    palette.run_current()
    assert (asked, palette.isVisible()) == ([], True)

    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: main.palette_view is None)


def test_settings_change_the_look_at_once_and_tell_it(main: MainWindow) -> None:
    told: list[Appearance] = []
    main.appearance_changed.connect(told.append)
    dialog = main.open_settings()

    dialog.page("Appearance").scheme.set_value("dark")

    assert theme.theme().scheme == "dark"
    assert told == [Appearance("dark", "automatic")]
    dialog.close()


def test_about_lists_versions_and_licences(main: MainWindow) -> None:
    dialog = main.open_settings("About")

    assert "Qt for Python 6.11" in dialog.page("About").text()
    assert "Inter: OFL-1.1" in dialog.page("About").text()
    dialog.close()


def test_the_demo_is_marked_and_the_switcher_asks_for_others(qtbot: QtBot, tasks: Tasks) -> None:
    made = window(tasks, ShellOptions(workspace="demo", servers=("https://flows.example.org",)))
    qtbot.addWidget(made)
    asked: list[str] = []
    made.workspace_requested.connect(asked.append)
    switcher = made.area.header.switcher
    entries = {action.text(): action for action in switcher.build_menu().actions() if action.text()}

    assert (switcher.accessibleName(), made.windowTitle()) == ("Workspace: Demo", "Demo – Patchbay")
    assert list(entries) == [
        "Demo",
        "This computer",
        "flows.example.org",
        "Connect to a server…",
        "Reset demo…",
    ]
    entries["flows.example.org"].trigger()
    assert asked == ["https://flows.example.org"]


def test_welcome_offers_demo_this_computer_and_a_service(qtbot: QtBot) -> None:
    made = open_main_window(None, stub_tabs())
    qtbot.addWidget(made)
    made.show()
    asked: list[str] = []
    made.workspace_requested.connect(asked.append)

    made.welcome.demo.click()
    made.welcome.local.click()
    made.welcome.server.click()

    assert asked == ["demo", "local"]
    assert made.server_dialog is not None
    made.server_dialog.close()


def test_adding_a_service_checks_the_form_then_asks_and_shows_a_refusal(qtbot: QtBot, tasks: Tasks) -> None:
    made = open_main_window(None, stub_tabs())
    qtbot.addWidget(made)
    made.show()
    asked: list[tuple[str, str]] = []
    made.server_requested.connect(lambda address, key: asked.append((address, key)))
    dialog = made.add_server()

    dialog.submit()
    assert (asked, dialog.address.property("invalid")) == ([], True)

    dialog.address.setText("flows.example.org/")
    dialog.key.set_text("secret-key")
    dialog.submit()
    assert asked == [("https://flows.example.org", "secret-key")]
    assert dialog.connect_button.busy

    made.show_server_error(AuthRequired("The service does not know this key.", todo="Copy it again."))
    assert (dialog.problem.isVisible(), dialog.connect_button.busy) == (True, False)

    made.open_workspace(services(tasks), ShellOptions(workspace="https://flows.example.org"))
    assert made.server_dialog is None


def test_addresses_are_completed_or_refused() -> None:
    assert server_address("localhost:8787") == "http://localhost:8787"
    assert server_address("https://a.org/base/") == "https://a.org/base"
    assert [server_address(text) for text in ("", "ftp://a.org", "two words")] == ["", "", ""]


def test_the_window_is_where_it_was_left(qtbot: QtBot, tasks: Tasks) -> None:
    state = InMemoryState()
    first = window(tasks, ShellOptions(workspace="local", state=state))
    qtbot.addWidget(first)
    first.resize(1111, 700)
    first.show()
    first.close()

    second = window(tasks, ShellOptions(workspace="local", state=state))
    qtbot.addWidget(second)

    assert second.height() == 700  # the width is kept within the screen, which is narrow here


def test_a_narrow_window_gives_up_the_search_field_not_the_tabs(qtbot: QtBot, main: MainWindow) -> None:
    main.resize(1024, 640)
    QApplication.processEvents()

    header = main.area.header
    assert header.search.narrow
    assert header.tabs.geometry().right() < header.search.geometry().left()


def test_every_control_of_the_frame_has_a_name(main: MainWindow) -> None:
    dialogs: tuple[Callable[[], QWidget], ...] = (main.open_settings, main.open_shortcuts, main.add_server)
    for opened in [dialog() for dialog in dialogs]:
        assert nameless(opened) == []
        opened.close()
    assert nameless(main) == []


def nameless(top: QWidget) -> list[QWidget]:
    return [
        widget
        for widget in top.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", lambda: "")())
    ]


def test_an_unreachable_service_is_reported_with_the_age_of_what_is_shown(main: MainWindow) -> None:
    from patchbay.domain.errors import Unreachable

    model = main.area.model
    model.info = model.info.model_copy(update={"kind": "remote", "name": "flows.example.org"})

    model._on_failed(Unreachable("No answer."))

    assert main.area.status.engine.words().startswith("flows.example.org, offline, data from ")


class Filling(FakeBackend):
    """A workspace that still adds its sample data."""

    activity = "Adding sample executions"

    async def info(self):
        return (await super().info()).model_copy(update={"activity": self.activity})


def test_the_status_bar_says_what_completes_the_workspace(qtbot, tasks):
    backend = Filling()
    main = window(tasks, backend=backend)
    qtbot.addWidget(main)
    main.show()

    qtbot.waitUntil(lambda: main.area.model.engine().text == "Adding sample executions…")
    backend.activity = ""
    main.area.model.refresh()

    qtbot.waitUntil(lambda: main.area.model.engine().text == "Engine running")


def test_shift_f10_opens_the_menu_of_what_has_the_focus(qtbot: QtBot, main: MainWindow) -> None:
    field = stub(main, Tab.FLOWS).field
    field.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    field.setFocus()

    with qtbot.waitSignal(field.customContextMenuRequested):
        qtbot.keyClick(field, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
