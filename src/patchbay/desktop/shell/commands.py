"""The commands of the window as actions, from which menus are made."""

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.kit.actions import Action, ActionRegistry
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.shortcuts import FIND_KEYS, PALETTE_KEYS, QUIT_KEYS
from patchbay.desktop.kit.theme import SchemeChoice, documentation_folder
from patchbay.desktop.shell.header import DEMO, ICONS, LOCAL
from patchbay.desktop.shell.view_models.engine_control import EngineControl
from patchbay.desktop.shell.work_area import WorkArea
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Feature
from patchbay.domain.flows import Flow, FlowStatus

if TYPE_CHECKING:
    from patchbay.desktop.shell.main_window import MainWindow

_MINIMISE_KEYS = "Ctrl+M" if sys.platform == "darwin" else ""

MENU_GROUPS = (
    ("flow.new", "palette", "filter"),
    ("engine.pause", "engine.resume"),
    ("workspace.demo", "workspace.local", "workspace.add"),
    ("appearance.light", "appearance.dark", "appearance.system"),
    ("backups", "restore", "database.check", "demo.reset"),
    ("settings", "log", "audit", "help", "shortcuts", "about"),
    ("close", "quit"),
)


def window_actions(window: "MainWindow") -> tuple[Action, ...]:
    """All actions of the window's frame."""
    return (
        *_navigation_actions(window),
        *_engine_actions(window),
        *_access_actions(window),
        *_workspace_actions(window),
        *_appearance_actions(window),
        *_frame_actions(window),
    )


def _navigation_actions(window: "MainWindow") -> tuple[Action, ...]:
    def closed() -> str | None:
        return None if window.area else tr("open a workspace first")

    def in_area(run: Callable[[WorkArea], None]) -> Callable[[], None]:
        return lambda: run(window.area) if window.area else None

    def show_tab(tab: Tab) -> Callable[[], None]:
        return in_area(lambda area: area.show_tab(tab))

    tabs = tuple(
        Action(
            f"tab.{tab.name.lower()}",
            tr("Go to {tab}", tab=tab.label),
            show_tab(tab),
            ICONS[tab],
            f"Ctrl+{place}",
            reason=closed,
        )
        for place, tab in enumerate(Tab, start=1)
    )
    new, find = in_area(WorkArea.new_flow), in_area(WorkArea.focus_filter)
    reload = in_area(WorkArea.reload)
    back, next_area = in_area(WorkArea.back), in_area(WorkArea.next_area)
    return (
        Action("flow.new", tr("New flow"), new, "plus", "Ctrl+N", reason=closed),
        *tabs,
        Action("filter", tr("Filter this list"), find, "list-filter", f"{FIND_KEYS} or /", reason=closed),
        Action("save", tr("Save now"), in_area(WorkArea.save), "check", "Ctrl+S", reason=closed),
        Action("reload", tr("Reload"), reload, "refresh-cw", "F5", reason=closed),
        Action(
            "back", tr("Back to the list or the previous tab"), back, "arrow-left", "Alt+Left", reason=closed
        ),
        Action("area.next", tr("Next part of the window"), next_area, "move", "F6", in_palette=False),
    )


def _engine_actions(window: "MainWindow") -> tuple[Action, ...]:
    def missing(reason_of: Callable[[EngineControl], str | None]) -> Callable[[], str | None]:
        return lambda: reason_of(window.area.engine) if window.area else tr("open a workspace first")

    def run(action: Callable[[EngineControl], None]) -> Callable[[], None]:
        return lambda: action(window.area.engine) if window.area else None

    pause, resume = run(EngineControl.pause), run(EngineControl.resume)
    return (
        Action("engine.pause", tr("Pause all runs"), pause, "circle-pause", hint=tr("Engine"),
               reason=missing(lambda engine: engine.pause_unavailable_reason)),
        Action("engine.resume", tr("Resume all runs"), resume, "circle-play", hint=tr("Engine"),
               reason=missing(lambda engine: engine.resume_unavailable_reason)),
        Action("engine.settings", tr("Engine settings"), partial(window.open_settings, "Engine"), "activity",
               hint=tr("Settings → Engine")),
    )  # fmt: skip


def _access_actions(window: "MainWindow") -> tuple[Action, ...]:
    def missing(feature: Feature) -> Callable[[], str | None]:
        def reason() -> str | None:
            area = window.area
            return (
                area.services.backend.capabilities.reason(feature) if area else tr("open a workspace first")
            )

        return reason

    def closed() -> str | None:
        return None if window.area else tr("open a workspace first")

    def new_key() -> None:
        page = window.open_settings("API keys").page("API keys")
        page.run_when_loaded(page.open_new_dialog)

    def invite() -> None:
        page = window.open_settings("People").page("People")
        page.run_when_loaded(page.invite)

    def test_address() -> None:
        window.open_settings("Server").page("Server").test_when_loaded()

    return (
        Action("keys.new", tr("Create API key…"), new_key, "key-round", hint=tr("Settings → API keys"),
               reason=missing(Feature.ACCESS)),
        Action("people.invite", tr("Invite someone…"), invite, "users", hint=tr("Settings → People"),
               reason=closed),
        Action("audit", tr("Audit log"), window.open_audit_log, "list", hint=tr("Settings → Audit log"),
               reason=missing(Feature.ACCESS)),
        Action("address.test", tr("Test the public address"), test_address, "server",
               hint=tr("Settings → Server"), reason=missing(Feature.ADDRESS)),
    )  # fmt: skip


def _workspace_actions(window: "MainWindow") -> tuple[Action, ...]:
    def already_open(key: str) -> Callable[[], str | None]:
        return lambda: tr("you're already there") if window.options.workspace == key and window.area else None

    ask, hint = window.switching.request, tr("Workspace")
    return (
        Action(
            "workspace.demo",
            tr("Open the demo"),
            partial(ask, DEMO),
            "flask-conical",
            hint=hint,
            reason=already_open(DEMO),
        ),
        Action(
            "workspace.local",
            tr("Work on this computer"),
            partial(ask, LOCAL),
            "monitor",
            hint=hint,
            reason=already_open(LOCAL),
        ),
        Action(
            "demo.reset",
            tr("Reset demo…"),
            window.reset_demo,
            "undo-2",
            hint=hint,
            reason=lambda: None if already_open(DEMO)() else tr("the demo isn't open"),
        ),
        Action("workspace.add", tr("Connect to a server…"), window.add_server, "server", hint=hint),
    )


def _appearance_actions(window: "MainWindow") -> tuple[Action, ...]:
    schemes: tuple[tuple[SchemeChoice, str, str], ...] = (
        ("light", tr("Light colours"), "sun"),
        ("dark", tr("Dark colours"), "moon"),
        ("system", tr("Follow system colours"), "sun-moon"),
    )
    return tuple(
        Action(f"appearance.{key}", title, partial(window.set_scheme, key), mark, hint=tr("Appearance"))
        for key, title, mark in schemes
    )


def _frame_actions(window: "MainWindow") -> tuple[Action, ...]:
    settings = partial(partial, window.open_settings)
    return (
        Action(
            "palette",
            tr("Search or run a command"),
            window.open_palette,
            "search",
            PALETTE_KEYS,
            in_palette=False,
        ),
        Action("settings", tr("Settings"), settings(), "settings", "Ctrl+,"),
        Action(
            "secrets",
            tr("Where credentials are stored"),
            settings("Secrets"),
            "lock",
            hint=tr("Settings → Secrets"),
        ),
        *_data_actions(window),
        Action(
            "help",
            tr("Help for this screen"),
            lambda: window.open_help(),
            "circle-question-mark",
            "F1",
            reason=lambda: None if documentation_folder() else tr("the documentation isn't installed"),
        ),
        Action("shortcuts", tr("Keyboard shortcuts"), window.open_shortcuts, "keyboard", "Ctrl+/ or ?"),
        Action("about", tr("About Patchbay"), settings("About"), "info"),
        Action("menu", tr("Menu"), window.open_menu, "menu", "F10", in_palette=False),
        Action(
            "menu.context",
            tr("Context menu"),
            window.open_context_menu,
            "ellipsis",
            "Shift+F10",
            in_palette=False,
        ),
        Action("close", tr("Close the window"), window.close, "x", "Ctrl+W"),
        Action("minimise", tr("Minimise the window"), window.showMinimized, "minus", _MINIMISE_KEYS),
        Action("quit", tr("Quit"), window.quit, "power", QUIT_KEYS),
    )


def _data_actions(window: "MainWindow") -> tuple[Action, ...]:
    def missing() -> str | None:
        return None if window.options.backups is not None else tr("the workspace of this computer isn't open")

    def restore() -> None:
        window.open_settings("Data").page("Data").backups.open_restore()

    def nothing_stored() -> str | None:
        return None if window.options.stored_files else tr("nothing is stored here")

    def log() -> None:
        window.open_settings("Data").page("Data").show_log()

    def check() -> None:
        page = window.open_settings("Data").page("Data")
        page.database.check.setFocus()
        page.database.check.click()

    hint, show = tr("Settings → Data"), partial(window.open_settings, "Data")
    return (
        Action("data", tr("Open the data folder"), show, "hard-drive", hint=hint),
        Action("log", tr("Show the log"), log, "list", hint=hint, reason=nothing_stored),
        Action("backups", tr("Backups"), show, "download", hint=hint, reason=missing),
        Action("restore", tr("Restore a backup…"), restore, "undo-2", hint=hint, reason=missing),
        Action("database.check", tr("Check the database"), check, "refresh-cw", hint=hint, reason=missing),
    )  # fmt: skip


def object_actions(area: WorkArea | None) -> tuple[Action, ...]:
    """Actions that open flows and apps of the workspace, for the palette."""
    if area is None:
        return ()
    go = area.services.navigator.go
    return (
        *(_flow_action(flow, go) for flow in area.objects.flows),
        *(_app_action(app, go) for app in area.services.apps.all),
    )


_FLOW_HINTS = {
    FlowStatus.DRAFT: tr("Flow, draft"),
    FlowStatus.PUBLISHED: tr("Flow, published"),
    FlowStatus.PAUSED: tr("Flow, paused"),
}


def _flow_action(flow: Flow, go: Callable[[Place], None]) -> Action:
    return Action(
        f"flow.{flow.id}",
        flow.name,
        partial(go, Place(Tab.FLOWS, id=flow.id, section="editor")),
        "workflow",
        hint=_FLOW_HINTS[flow.status],
        group="Flows",
        app_key=next(iter(flow.app_keys), None),
    )


def _app_action(app: AppInfo, go: Callable[[Place], None]) -> Action:
    place = Place(Tab.MY_APPS, id=app.key)
    return Action(
        f"app.{app.key}", app.name, partial(go, place), hint=tr("App"), group="Apps", app_key=app.key
    )


def action_menu(window: "MainWindow", registry: ActionRegistry) -> Menu:
    """The ≡ menu; disabled entries say why."""
    menu = Menu(window, tr("Menu"))
    for number, ids in enumerate(MENU_GROUPS):
        if number:
            menu.addSeparator()
        for action_id in ids:
            action = registry.get(action_id)
            keys = next(iter(action.sequences()), "")
            menu.add(action.title, action.run, action.icon, keys, reason=action.reason())
    return menu
