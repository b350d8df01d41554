"""Pictures of every tab and dialog, taken from the real window (`patchbay tour`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.executions.tab import ExecutionsTab
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.desktop.folders.tab import FoldersTab
from patchbay.desktop.kit.popups import paint_raised
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.my_apps.tab import MyAppsTab
from patchbay.desktop.shell.help_window import HelpWindow
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.shell.tray import Tray
from patchbay.desktop.shell.view_models.local_runs import LocalRuns
from patchbay.desktop.templates.tab import TemplatesTab
from patchbay.tour.component_gallery import Gallery
from patchbay.tour.executions import execution_scenes
from patchbay.tour.flows import flow_scenes
from patchbay.tour.my_apps import my_apps_scenes
from patchbay.tour.scene import Scene
from patchbay.tour.servers import server_scenes
from patchbay.tour.settings import access_scenes
from patchbay.tour.settings_pages import settings_scenes

POLL_INTERVAL_MS = 20
SETTLING_ROUNDS = 3
"""Polls from when a scene is ready to its picture: fields that grew get room level by level."""
SCENE_TIMEOUT_S = 60.0


@dataclass
class TourResult:
    """The files written, and what could not be shown."""

    files: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def run_tour(
    window: MainWindow,
    out_dir: Path,
    finished: Callable[[TourResult], object],
    *,
    before: Sequence[Scene] = (),
    after: Sequence[Scene] | None = None,
    tabs: Sequence[Tab] = tuple(Tab),
) -> "Tour":
    """Start the tour; `finished` is called when all is done. Keep the returned object until then."""
    tour = Tour(window, out_dir, finished, before, shell_scenes(window) if after is None else after, tabs)
    QTimer.singleShot(0, tour.begin)
    return tour


class Tour(QObject):
    """Goes through the scenes one by one; each gets until its deadline to become ready."""

    def __init__(
        self,
        window: MainWindow,
        out_dir: Path,
        finished: Callable[[TourResult], object],
        before: Sequence[Scene],
        after: Sequence[Scene],
        tabs: Sequence[Tab],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._out_dir = out_dir
        self._finished = finished
        self._before = before
        self._after = after
        self._tabs = tabs
        self._pending_scenes: list[Scene] = []
        self._pending_tabs: list[Tab] = []
        self._scene: Scene | None = None
        self._deadline = 0.0
        self._rounds_left = SETTLING_ROUNDS
        self.result = TourResult()
        self._poll_timer = QTimer(self)
        self._poll_timer.setInterval(POLL_INTERVAL_MS)
        self._poll_timer.timeout.connect(self._poll)

    def begin(self) -> None:
        """Create the folder and save the first picture; the others follow."""
        self._out_dir.mkdir(parents=True, exist_ok=True)
        self._pending_tabs = list(self._tabs)
        self._pending_scenes = [*self._before, *(() if self._tabs else self._after)]
        self._poll_timer.start()
        self._next()

    def _next(self) -> None:
        while not self._pending_scenes and self._pending_tabs:
            self._enter_tab(self._pending_tabs.pop(0))
            if not self._pending_tabs:
                self._pending_scenes.extend(self._after)
        if not self._pending_scenes:
            self._poll_timer.stop()
            self._finished(self.result)
            return
        self._window.activateWindow()
        scene = self._scene = self._pending_scenes.pop(0)
        self._deadline, self._rounds_left = monotonic() + SCENE_TIMEOUT_S, SETTLING_ROUNDS
        try:
            scene.prepare()
        except Exception as error:  # noqa: BLE001  one scene that fails must not end the tour
            self._fail_scene(f"could not be prepared: {error!r}")

    def _enter_tab(self, tab: Tab) -> None:
        area = self._window.area
        if area is None:
            self.result.problems.append("No workspace is open.")
            self._pending_tabs.clear()
            return
        area.show_tab(tab)
        view = area.view
        self._pending_scenes = list(tab_scenes(tab, view))

    def _poll(self) -> None:
        scene = self._scene
        if scene is None:
            return
        try:
            if not scene.ready():
                if monotonic() > self._deadline:
                    self._fail_scene("was not ready in time", take_picture=True)
                return
            if self._rounds_left:
                self._rounds_left -= 1
                return
            self._take_picture(scene)
        except Exception as error:  # noqa: BLE001
            self._fail_scene(f"failed: {error!r}")
            return
        self._leave_scene(scene)

    def _take_picture(self, scene: Scene) -> None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # fields that grew have their room
        target = scene.target() if scene.target else None
        picture = compose_picture(self._window, target)
        path = self._out_dir / f"{len(self.result.files) + 1:02d}-{scene.name}.png"
        if picture.save(str(path)):
            self.result.files.append(path)
        else:
            self.result.problems.append(f"{path} could not be written")

    def _leave_scene(self, scene: Scene) -> None:
        self._scene = None
        if scene.leave:
            try:
                scene.leave()
            except Exception as error:  # noqa: BLE001
                self.result.problems.append(f"{scene.name} could not be left: {error!r}")
        QTimer.singleShot(0, self._next)

    def _fail_scene(self, reason: str, *, take_picture: bool = False) -> None:
        scene, self._scene = self._scene, None
        if scene is None:
            return
        self.result.problems.append(f"{scene.name} {reason}")
        if take_picture:
            try:
                self._take_picture(scene)
            except Exception as error:  # noqa: BLE001
                self.result.problems.append(f"{scene.name} has no picture: {error!r}")
        self._leave_scene(scene)


def compose_picture(window: QWidget, target: QWidget | None = None) -> QPixmap:
    """A picture of the window, including dialogs and popups at their positions, with their frames."""
    picture = window.grab()
    if target is None or target is window:
        return picture
    if window.isAncestorOf(target) and not target.isWindow():
        return picture
    shown = target.grab()
    size = shown.deviceIndependentSize()
    corner = window.mapFromGlobal(target.mapToGlobal(QPoint(0, 0)))
    x = max(0, min(corner.x(), window.width() - int(size.width())))
    y = max(0, min(corner.y(), window.height() - int(size.height())))
    painter = QPainter(picture)
    if not target.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground):
        paint_raised(painter, QRectF(x - 1, y - 1, size.width() + 2, size.height() + 2), radius=2)
    painter.drawPixmap(x, y, shown)
    painter.end()
    return picture


def tab_scenes(tab: Tab, view: TabView | None) -> tuple[Scene, ...]:
    """The pictures of one tab, in order; a tab without scenes of its own gives one picture as it is."""
    if isinstance(view, FlowsTab):
        return flow_scenes(view)
    if isinstance(view, ExecutionsTab):
        return execution_scenes(view)
    if isinstance(view, FoldersTab):
        return folder_scenes(view)
    if isinstance(view, TemplatesTab):
        return template_scenes(view)
    if isinstance(view, MyAppsTab):
        return my_apps_scenes(view)
    return (Scene(tab.name.lower().replace("_", "-"), lambda: None, lambda: True),)


def folder_scenes(tab: FoldersTab) -> tuple[Scene, ...]:
    """The folder with the most flows, with its statistics."""

    def is_ready() -> bool:
        rows = tab.folders.rows
        largest = max(rows, key=lambda row: (row.folder is not None, row.stats.flows), default=None)
        if largest is None:
            return tab.folders.loaded
        tab.folders.select(largest.key)
        return tab.folders.detail is not None

    return (Scene("folders", tab.folders.load, is_ready),)


def template_scenes(tab: TemplatesTab) -> tuple[Scene, ...]:
    """The gallery, with the details of the selected template."""

    def is_ready() -> bool:
        card = tab.templates.card
        return tab.templates.loaded and (card is None or tab.templates.has_details(card))

    return (Scene("templates", tab.templates.load, is_ready),)


def shell_scenes(window: MainWindow) -> tuple[Scene, ...]:
    """The frame's own pictures: palette, settings, shortcuts, adding a server, welcome, the kit."""
    return (
        _palette_scene(window),
        _dialog_scene("settings", window.open_settings),
        _dialog_scene("settings-appearance", lambda: window.open_settings("Appearance")),
        _dialog_scene("settings-language", lambda: window.open_settings("Language and formats")),
        _engine_scene(window),
        _dialog_scene("settings-engine", lambda: window.open_settings("Engine")),
        _dialog_scene("settings-secrets", lambda: window.open_settings("Secrets")),
        *access_scenes(window),
        *settings_scenes(window),
        _dialog_scene("settings-about", lambda: window.open_settings("About")),
        _dialog_scene("shortcuts", window.open_shortcuts),
        _dialog_scene("add-server", window.add_server),
        *server_scenes(window),
        _dialog_scene("close-question", lambda: window.background.ask(LocalRuns(published=3, unfinished=1))),
        _tray_scene(window),
        _help_scene(window),
        Scene("welcome", window.preview_welcome, lambda: True, leave=window.end_welcome_preview),
        _kit_scene(window),
    )


def _dialog_scene(name: str, make: Callable[[], QWidget]) -> Scene:
    opened: list[QWidget] = []

    def close() -> None:
        while opened:
            opened.pop().close()

    return Scene(
        name, lambda: opened.append(make()), lambda: opened[-1].isVisible(), lambda: opened[-1], close
    )


def _engine_scene(window: MainWindow) -> Scene:
    def popup() -> QWidget | None:
        return window.area.engine_popup if window.area else None

    def prepare() -> None:
        if window.area is not None:
            window.area.open_engine()

    def leave() -> None:
        if (open_now := popup()) is not None:
            open_now.close()

    return Scene("engine", prepare, lambda: popup() is not None, lambda: popup() or window, leave)


def _help_scene(window: MainWindow) -> Scene:
    opened: list[HelpWindow] = []

    def prepare() -> None:
        help_window = window.open_help("guides/run-control.md")
        if help_window is not None:
            opened.append(help_window)

    return Scene("help", prepare, lambda: bool(opened[0].path), lambda: opened[0], window.close_help)


def _tray_scene(window: MainWindow) -> Scene:
    trays: list[Tray] = []

    def prepare() -> None:
        assert window.area is not None
        trays.append(Tray(window, window.area))
        trays[0].menu.popup(window.mapToGlobal(QPoint(window.width() // 2, window.height() // 3)))

    def leave() -> None:
        trays[0].menu.close()
        trays.pop().close()

    return Scene("tray-menu", prepare, lambda: trays[0].failed[0].isVisible(), lambda: trays[0].menu, leave)


def _palette_scene(window: MainWindow) -> Scene:
    def prepare() -> None:
        window.open_palette()
        if window.palette_view is not None:
            window.palette_view.field.setText("fl")

    def ready() -> bool:
        area, palette = window.area, window.palette_view
        return palette is not None and (area is None or bool(area.objects.flows))

    def leave() -> None:
        if window.palette_view is not None:
            window.palette_view.dismiss()

    return Scene("palette", prepare, ready, lambda: window.palette_view or window, leave)


def _kit_scene(window: MainWindow) -> Scene:
    galleries: list[QWidget] = []

    def prepare() -> None:
        galleries.append(Gallery(window))
        galleries[0].setGeometry(window.rect())
        galleries[0].show()
        galleries[0].raise_()

    return Scene(
        "kit",
        prepare,
        lambda: galleries[0].isVisible(),
        lambda: galleries[0],
        lambda: galleries.pop().deleteLater(),
    )
