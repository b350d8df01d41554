"""Names that others gave are shown as they were written, everywhere in the window."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import Qt as RichText
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QWidget
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

import patchbay.desktop
from patchbay.bootstrap.window_tabs import TABS
from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.kit import theme
from patchbay.desktop.settings.api_keys_page import KeysPage
from patchbay.desktop.settings.audit_log import AuditLogDialog
from patchbay.desktop.settings.people_page import PeoplePage
from patchbay.desktop.settings.view_models.api_keys import ApiKeysViewModel
from patchbay.desktop.settings.view_models.people import PeopleViewModel
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.desktop_notifications import plain_message
from patchbay.desktop.shell.main_window import open_main_window
from patchbay.domain.access import ApiKey, Scope
from patchbay.domain.base import UserId

MARK = "file:///seen.png"
HOSTILE = f"<b>Bold</b><img src='{MARK}'>"


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@pytest.fixture
def around(tasks):
    backend = FakeBackend(executions=20)
    stores: tuple[tuple[dict[Any, Any], str], ...] = (
        (backend.flows, "name"),
        (backend.folders, "name"),
        (backend.connections, "screen_name"),
        (backend.templates, "name"),
        (backend.users, "full_name"),
        (backend.invitations, "full_name"),
        (backend.api_keys, "name"),
    )
    for store, field in stores:
        for key, item in store.items():
            store[key] = item.model_copy(update={field: f"{HOSTILE} {key}"})
    # A key that is bounded by its owner's role has a tooltip that names the owner.
    backend.api_keys["bounded"] = ApiKey(
        id="bounded",
        name=HOSTILE,
        hint="5f1c...90ab",
        scope=Scope.ADMIN,
        user_id=UserId("user-3"),
        created_at=NOW,
    )
    backend.executions = [
        run.model_copy(update={"flow": run.flow.model_copy(update={"name": HOSTILE}), "note": HOSTILE})
        for run in backend.executions
    ]
    backend.audit = [
        entry.model_copy(
            update={"subject": HOSTILE, "actor": entry.actor.model_copy(update={"name": HOSTILE})}
        )
        for entry in backend.audit
    ]
    return services(tasks, backend)


def rich_texts(root: QWidget) -> Iterator[str]:
    """Whatever Qt would take for HTML that holds a name unescaped."""
    for widget in (root, *root.findChildren(QWidget)):
        where = f"{type(widget).__name__} {widget.accessibleName()!r}"
        if (
            isinstance(widget, QLabel)
            and widget.textFormat() is not Qt.TextFormat.PlainText
            and widget.text()
        ):
            yield f"{where}: label {widget.text()!r}"
        if interpreted(widget.toolTip()):
            yield f"{where}: tooltip {widget.toolTip()!r}"
        for action in widget.actions():
            if interpreted(action.toolTip()) and action.toolTip() != action.text().replace("&", ""):
                yield f"{where}: action {action.toolTip()!r}"
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            yield from (f"{where}: item {tip!r}" for tip in item_tips(widget) if interpreted(tip))


def interpreted(text: str) -> bool:
    return RichText.mightBeRichText(text) and "<img" in text


def item_tips(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    for row in range(min(model.rowCount(QModelIndex()), 30)):
        index = model.index(row, 0)
        while index.isValid():
            tip = index.data(Qt.ItemDataRole.ToolTipRole)
            if isinstance(tip, str):
                yield tip
            index = index.siblingAtColumn(index.column() + 1)


def shown(root: QWidget) -> str:
    """What labels and rows of the widget say."""
    labels = [label.text() for label in root.findChildren(QLabel)]
    return "\n".join([*labels, *(widget.accessibleName() for widget in root.findChildren(QWidget))])


@pytest.mark.parametrize("tab", list(Tab))
def test_each_tab_shows_names_as_text(qtbot, around, tab):
    window = open_main_window(around, TABS, ShellOptions(workspace="local"))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: bool(window.area and window.area.model.health and window.area.model.info))

    qtbot.keyClick(
        window, Qt.Key(Qt.Key.Key_1.value + list(Tab).index(tab)), Qt.KeyboardModifier.ControlModifier
    )
    qtbot.waitUntil(lambda: tab in window.area.views and window.area.tab is tab)
    qtbot.wait(200)  # lists fill in the background, each in its own way

    assert list(rich_texts(window)) == []
    window.close()


def test_settings_of_keys_and_people_show_names_as_text(qtbot, around):
    for page in (KeysPage(ApiKeysViewModel(around)), PeoplePage(PeopleViewModel(around))):
        qtbot.addWidget(page)
        page.show()
        qtbot.waitUntil(lambda page=page: page.list.is_showing_rows)

        assert HOSTILE in shown(page)
        assert list(rich_texts(page)) == []


def test_the_audit_log_shows_names_as_text(qtbot, around):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(900, 700)
    dialog = AuditLogDialog(parent, around)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.table.model().rowCount(QModelIndex()) > 0)

    assert list(rich_texts(dialog)) == []


def test_messages_of_the_desktop_carry_no_markup():
    assert "<" not in plain_message(HOSTILE)
    assert plain_message("a & b") == "a & b"


def test_no_text_of_the_window_is_left_to_qt_to_guess():
    """Labels are `kit.text.Label`, tooltips pass `plain_tip`, and Qt's own message boxes aren't used."""
    found = []
    for file in Path(patchbay.desktop.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            found += [f"{file.name}:{getattr(node, 'lineno', 0)} {name}" for name in guessed(node, file.name)]

    assert found == []


def guessed(node: ast.AST, file: str) -> Iterator[str]:
    if isinstance(node, ast.Name) and node.id in ("QMessageBox", "QErrorMessage", "QInputDialog"):
        yield node.id
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called == "QLabel" and file != "text.py":
            yield called
        tips = {"setToolTip": 0, "showText": 1, "setTabToolTip": 1, "setStatusTip": 0, "setWhatsThis": 0}
        if called in tips and len(node.args) > tips[called] and not is_plain(node.args[tips[called]]):
            yield ast.unparse(node)


def is_plain(argument: ast.expr) -> bool:
    """A constant, translated or not, a choice between constants, or the result of `plain_tip`."""
    if isinstance(argument, ast.IfExp):
        return is_plain(argument.body) and is_plain(argument.orelse)
    if not isinstance(argument, ast.Call):
        return isinstance(argument, ast.Constant)
    called = getattr(argument.func, "id", "")
    return called == "plain_tip" or (called == "tr" and not argument.keywords)
