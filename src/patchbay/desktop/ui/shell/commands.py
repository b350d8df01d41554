"""What the window can do, as actions; menus are made of them."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from patchbay.desktop.state.engine_control import EngineControl
from patchbay.desktop.state.navigation import Place, Tab
from patchbay.desktop.ui.kit.actions import Action, ActionRegistry
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.theme import SchemeChoice
from patchbay.desktop.ui.shell.tab_bar import ICONS
from patchbay.desktop.ui.shell.work_area import WorkArea
from patchbay.desktop.ui.shell.workspaces import DEMO, LOCAL
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Feature
from patchbay.domain.flows import Flow

if TYPE_CHECKING:
    from patchbay.desktop.ui.shell.main_window import MainWindow

MENU = (
    ("flow.new", "palette", "filter"),
    ("engine.pause", "engine.resume"),
    ("workspace.demo", "workspace.local", "workspace.add"),
    ("appearance.light", "appearance.dark", "appearance.system"),
    ("settings", "audit", "shortcuts", "about"),
    ("quit",),
)


def window_actions(window: "MainWindow") -> tuple[Action, ...]:
    """All actions of the frame."""
    return (
        *_going(window), *_engine(window), *_access(window), *_workspace(window), *_looks(window),
        *_frame(window),
    )  # fmt: skip


def _going(window: "MainWindow") -> tuple[Action, ...]:
    def closed() -> str | None:
        return None if window.area else "open a workspace first"

    def inside(run: Callable[[WorkArea], None]) -> Callable[[], None]:
        return lambda: run(window.area) if window.area else None

    def shows(tab: Tab) -> Callable[[], None]:
        return inside(lambda area: area.show_tab(tab))

    tabs = tuple(
        Action(
            f"tab.{tab.name.lower()}",
            f"Go to {tab.value}",
            shows(tab),
            ICONS[tab],
            f"Ctrl+{place}",
            reason=closed,
        )
        for place, tab in enumerate(Tab, start=1)
    )
    new, find = inside(WorkArea.new_flow), inside(WorkArea.focus_filter)
    reload = inside(WorkArea.reload)
    back, onward = inside(WorkArea.back), inside(WorkArea.next_area)
    return (
        Action("flow.new", "New flow", new, "plus", "Ctrl+N", reason=closed),
        *tabs,
        Action("filter", "Filter this list", find, "list-filter", "Ctrl+F or /", reason=closed),
        Action("reload", "Reload", reload, "refresh-cw", "F5", reason=closed),
        Action("back", "Back to the list, or the tab before", back, "arrow-left", "Alt+Left", reason=closed),
        Action("area.next", "Next part of the window", onward, "move", "F6", listed=False),
    )


def _engine(window: "MainWindow") -> tuple[Action, ...]:
    def missing(of: Callable[[EngineControl], str | None]) -> Callable[[], str | None]:
        return lambda: of(window.area.engine) if window.area else "open a workspace first"

    def run(act: Callable[[EngineControl], None]) -> Callable[[], None]:
        return lambda: act(window.area.engine) if window.area else None

    pause, resume = run(EngineControl.pause), run(EngineControl.resume)
    return (
        Action("engine.pause", "Pause all runs", pause, "circle-pause", hint="Engine",
               reason=missing(lambda engine: engine.pause_missing)),
        Action("engine.resume", "Resume all runs", resume, "circle-play", hint="Engine",
               reason=missing(lambda engine: engine.resume_missing)),
        Action("engine.settings", "Engine settings", partial(window.open_settings, "Engine"), "activity",
               hint="Settings, Engine"),
    )  # fmt: skip


def _access(window: "MainWindow") -> tuple[Action, ...]:
    def missing(feature: Feature) -> Callable[[], str | None]:
        def reason() -> str | None:
            area = window.area
            return area.services.backend.capabilities.reason(feature) if area else "open a workspace first"

        return reason

    def closed() -> str | None:
        return None if window.area else "open a workspace first"

    def new_key() -> None:
        page = window.open_settings("API keys").page("API keys")
        page.when_read(page.ask_for_new)

    def invite() -> None:
        page = window.open_settings("People").page("People")
        page.when_read(page.invite)

    def test_address() -> None:
        window.open_settings("Service").page("Service").test_when_read()

    return (
        Action("keys.new", "Create an API key…", new_key, "key-round", hint="Settings, API keys",
               reason=missing(Feature.ACCESS)),
        Action("people.invite", "Invite somebody…", invite, "users", hint="Settings, People",
               reason=closed),
        Action("audit", "Audit log", window.open_audit_log, "list", hint="Who did what",
               reason=missing(Feature.ACCESS)),
        Action("address.test", "Test the public address", test_address, "server", hint="Settings, Service",
               reason=missing(Feature.ADDRESS)),
    )  # fmt: skip


def _workspace(window: "MainWindow") -> tuple[Action, ...]:
    def there(key: str) -> Callable[[], str | None]:
        return lambda: "you are there" if window.options.workspace == key and window.area else None

    ask, hint = window.workspace_requested.emit, "Workspace"
    return (
        Action(
            "workspace.demo",
            "Open the demo",
            partial(ask, DEMO),
            "flask-conical",
            hint=hint,
            reason=there(DEMO),
        ),
        Action(
            "workspace.local",
            "Work on this computer",
            partial(ask, LOCAL),
            "monitor",
            hint=hint,
            reason=there(LOCAL),
        ),
        Action(
            "demo.reset",
            "Reset the demo…",
            window.reset_demo,
            "undo-2",
            hint=hint,
            reason=lambda: None if there(DEMO)() else "the demo is not open",
        ),
        Action("workspace.add", "Add a service…", window.add_service, "server", hint=hint),
    )


def _looks(window: "MainWindow") -> tuple[Action, ...]:
    schemes: tuple[tuple[SchemeChoice, str, str], ...] = (
        ("light", "Light colours", "sun"),
        ("dark", "Dark colours", "moon"),
        ("system", "Colours as the system", "sun-moon"),
    )
    return tuple(
        Action(f"appearance.{key}", title, partial(window.set_scheme, key), mark, hint="Appearance")
        for key, title, mark in schemes
    )


def _frame(window: "MainWindow") -> tuple[Action, ...]:
    settings = partial(partial, window.open_settings)
    return (
        Action("palette", "Search or run a command", window.open_palette, "search", "Ctrl+K", listed=False),
        Action("settings", "Settings", settings(), "settings", "Ctrl+,"),
        Action("secrets", "Where secrets are kept", settings("Secrets"), "lock", hint="Settings, Secrets"),
        Action("data", "Show the data folder", settings("Data"), "hard-drive", hint="Settings, Data"),
        Action("shortcuts", "Keyboard shortcuts", window.open_shortcuts, "keyboard", "Ctrl+/"),
        Action("about", "About Patchbay", settings("About"), "info"),
        Action("menu", "Menu", window.open_menu, "menu", "F10", listed=False),
        Action("quit", "Quit", QApplication.closeAllWindows, "power", "Ctrl+Q"),
    )


def object_actions(area: WorkArea | None) -> tuple[Action, ...]:
    """Flows and apps of the workspace, to be opened from the palette."""
    if area is None:
        return ()
    go = area.services.navigator.go
    return (
        *(_flow_action(flow, go) for flow in area.objects.flows),
        *(_app_action(app, go) for app in area.services.apps.all),
    )


def _flow_action(flow: Flow, go: Callable[[Place], None]) -> Action:
    return Action(
        f"flow.{flow.id}",
        flow.name,
        partial(go, Place(Tab.FLOWS, id=flow.id, section="editor")),
        "workflow",
        hint=f"Flow, {flow.status}",
        group="Flows",
        app_key=next(iter(flow.app_keys), None),
    )


def _app_action(app: AppInfo, go: Callable[[Place], None]) -> Action:
    place = Place(Tab.MY_APPS, id=app.key)
    return Action(f"app.{app.key}", app.name, partial(go, place), hint="App", group="Apps", app_key=app.key)


def action_menu(window: "MainWindow", registry: ActionRegistry) -> Menu:
    """The ≡ menu: what cannot be done now is grey and says why."""
    menu = Menu(window, "Menu")
    for number, ids in enumerate(MENU):
        if number:
            menu.addSeparator()
        for action_id in ids:
            action = registry.get(action_id)
            keys = action.shortcut.split(" or ")[0]
            menu.add(action.title, action.run, action.icon, keys, reason=action.reason())
    return menu
