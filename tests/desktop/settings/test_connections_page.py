"""Settings, Connections: the choice is applied at once and stored."""

from tests.support.shell import window

from patchbay.desktop.settings.pages import ConnectionsPage
from patchbay.desktop.settings.window_options import ShellOptions


def test_a_choice_is_saved_at_once_and_shown_again(qtbot, tasks):
    main = window(tasks, ShellOptions(workspace="local", test_every_hours=6.0))
    qtbot.addWidget(main)
    main.show()
    dialog = main.open_settings("Connections")
    assert dialog.page("Connections").every.currentText() == "Every 6 hours"

    with qtbot.waitSignal(main.test_interval_changed) as told:
        dialog.page("Connections").every.set_value(24.0)

    assert told.args == [24.0]
    dialog.close()
    assert main.open_settings("Connections").page("Connections").every.value() == 24.0


def test_a_number_of_hours_of_ones_own_is_shown(qtbot):
    page = ConnectionsPage(2.5)
    qtbot.addWidget(page)

    assert page.every.currentText() == "Every 2.5 hours"


def test_there_is_no_choice_where_another_user_decides(qtbot):
    page = ConnectionsPage(None)
    qtbot.addWidget(page)
    page.show()

    assert not page.every.isVisible()
