"""`WindowController`: opens workspaces in the window, and saves the settings changed in it."""

import asyncio
import contextlib
import importlib
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from patchbay import __version__
from patchbay.bootstrap.known_servers import KnownServers, RemoteWorkspace
from patchbay.bootstrap.open_request import OpenRequest, Response
from patchbay.bootstrap.opening_backend import FillableWorkspace, OpeningBackend, OpenWorkspace
from patchbay.bootstrap.qt_types import QtTypes
from patchbay.bootstrap.repair import repair_database
from patchbay.bootstrap.window_backups import WindowBackups
from patchbay.bootstrap.window_desktop import WindowDesktop
from patchbay.bootstrap.window_frame import WindowFrame
from patchbay.bootstrap.window_listeners import WindowListeners
from patchbay.bootstrap.window_tabs import TABS, load_tabs
from patchbay.bootstrap.window_texts import crash_text, leftovers_text, restored_text, unsaved_key_text
from patchbay.bootstrap.window_vault import WindowVault
from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.change_feed import ChangeFeed
from patchbay.desktop.core.frame_options import FrameOptions, InMemoryState
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.links import place_of_link
from patchbay.desktop.core.navigation import Navigator, Place, Tab
from patchbay.desktop.core.notices import Notices
from patchbay.desktop.core.notification_preferences import NotificationPreferences
from patchbay.desktop.core.services import EngineOwnership, Services, ViewPreferences
from patchbay.desktop.settings.view_models.backups import BackupsViewModel
from patchbay.desktop.settings.view_models.start_at_login import StartAtLogin
from patchbay.desktop.settings.view_models.stored_files import StoredFilesViewModel
from patchbay.desktop.settings.window_options import (
    Appearance,
    LanguageChoice,
    OnClose,
    ShellOptions,
)
from patchbay.desktop.shell.first_use import FirstUse
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import now_ms
from patchbay.domain.errors import AppError, AuthRequired, ValidationFailed
from patchbay.domain.notification_settings import NotificationSettings
from patchbay.domain.remote_options import RemoteOptions, UntrustedCertificate
from patchbay.platform.activation_tokens import TOKEN_VARIABLES
from patchbay.platform.login_item import login_item, new_window_command
from patchbay.platform.notifications import notify
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.platform.stored_files import StoredFiles
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.platform.window_state import WindowState

log = logging.getLogger("window")

CLOSE_SECONDS = 15


class WindowController(QObject):
    """The window with its event loop thread, and one open workspace at a time."""

    _crashed = Signal(str)
    _vault_unlocked = Signal(str)

    def __init__(
        self,
        paths: AppPaths,
        settings: SettingsFile,
        *,
        passphrase_file: str | None = None,
        api_key: str | None = None,
        clock: Callable[[], EpochMs] = now_ms,
        saves_settings: bool = True,
        remembers_workspace: bool = True,
        safe: bool = False,
        in_background: bool = False,
        frame: WindowFrame | None = None,
    ) -> None:
        super().__init__()
        self._saves_settings, self._safe = saves_settings, safe
        self._remembers_workspace = remembers_workspace
        self._paths = paths
        self._settings = settings
        self._clock = clock
        self._passphrase_file, self._api_key = passphrase_file, api_key
        self._api_key_address: str | None = None
        self._passphrase: str | None = None
        self._loop = LoopThread() if frame is None else frame.loop
        if frame is None:
            self._loop.start()
        self.tasks = Tasks(self._loop)
        self._start_at_login = (
            StartAtLogin(login_item(paths, tr("Runs published flows in the background")), self.tasks, self)
            if saves_settings
            else None
        )
        self._notifications = NotificationPreferences(
            settings.value.notifications.to_domain(), self._save_notifications, self
        )
        self._stored_files = StoredFilesViewModel(StoredFiles(paths), self.tasks, self)
        self._servers = KnownServers(paths, settings, SystemKeyring())
        self._opening: OpeningBackend | None = None
        self._has_notifications = saves_settings and "DBUS_SESSION_BUS_ADDRESS" in os.environ
        self._endings: list[Future[None]] = []
        """Workspaces that are being closed."""
        self.services: Services | None = None
        self._backups: BackupsViewModel | None = None
        options = self._options(None)
        self.window = MainWindow(FrameOptions(state=options.state)) if frame is None else frame.window
        self.window.complete(None, TABS, options, tasks=self.tasks)
        self._connect_window()
        self._desktop = WindowDesktop(
            self,
            window=self.window,
            in_background=in_background,
            notify=notify if self._has_notifications else None,
        )
        self._loads_tabs = False
        FirstUse(self.window, self._prepare_tabs)

    def _connect_window(self) -> None:
        self.window.workspace_requested.connect(self.open)
        self.window.new_window_requested.connect(self._open_new_window)
        self.window.server_requested.connect(self._connect_server)
        self.window.server_forgotten.connect(self._forget_server)
        self.window.appearance_changed.connect(self._save_appearance)
        self.window.language_changed.connect(self._save_language)
        self.window.test_interval_changed.connect(self._save_test_interval)
        self._vault_unlocked.connect(self._use_passphrase)
        self.window.on_close_changed.connect(self._save_on_close)
        self.window.restore_requested.connect(self._restore)
        self.window.repair_requested.connect(self._repair)
        self._crashed.connect(self._show_crash)

    def open(self, workspace: str) -> None:
        """Open `demo`, `local`, or the server at an address."""
        self._show(workspace, self._opener(workspace))
        self._remember(workspace)

    def start(self, request: OpenRequest) -> None:
        """Open what the program was started with, and show the window."""
        if request.background:
            self.open_in_background()
            return
        self.window.show()
        if wanted := request.workspace or self._settings.value.workspace:
            self.open(wanted)
        else:
            self.window.show_welcome()
        self._open_target(request)

    def receive(self, request: OpenRequest) -> Response:
        """Do what a further start of the program asks for: show the window, and open a file or link."""
        current = self.window.options.workspace if self.services is not None else None
        if request.workspace is not None and current not in (None, request.workspace):
            return Response.OTHER_WORKSPACE
        if not request.background:
            QTimer.singleShot(0, self, partial(self._show_for, request))
        return Response.SHOWN

    def _show_for(self, request: OpenRequest) -> None:
        for name, variable in TOKEN_VARIABLES.items():
            if token := getattr(request, name):
                os.environ[variable] = token  # Qt reads it when it activates the window
        self.window.bring_to_front()
        if request.workspace is not None and request.workspace != self.window.options.workspace:
            self.open(request.workspace)
        self._open_target(request)

    def _open_target(self, request: OpenRequest) -> None:
        if request.file is not None:
            self.window.open_place(Place(Tab.FLOWS, id=request.file, section="import"))
        elif request.link is not None and (place := place_of_link(request.link)) is not None:
            self.window.open_place(place)

    def open_in_background(self) -> None:
        """Open the workspace of this computer without showing the window."""
        self._show("local", self._open_local)
        self.window.background.enter()
        if self.window.area is not None:
            self.window.area.start_without_window()

    def close(self) -> None:
        """Close the workspace and stop the event loop thread; the window is already hidden."""
        self._desktop.close()
        if self._opening is not None:
            self._close_workspace(self._opening)
        closed, open_still = wait(self._endings, CLOSE_SECONDS)
        if open_still:
            log.warning("a workspace didn't close within %s seconds", CLOSE_SECONDS)
        for ending in closed:
            ending.result()
        self._loop.stop()

    def _close_workspace(self, workspace: OpeningBackend | RemoteWorkspace) -> Future[None]:
        """Close a workspace that isn't shown any more. The end of the program waits for that."""
        ending = self._loop.submit(workspace.close())
        self._endings = [*(one for one in self._endings if not one.done()), ending]
        return ending

    def when_ready(self, then: Callable[[], object]) -> None:
        """Call `then` once the workspace is open and complete."""
        assert self._opening is not None, "open a workspace first"
        self.tasks.run(self, self._wait_until_filled(self._opening), done=lambda _: then())

    def show_from_background(self) -> None:
        """Show the window if it is hidden; on macOS, after a click on the program's icon in the Dock."""
        if self.window.background.active and sys.platform == "darwin":
            self.window.bring_to_front()

    def report_crash(self, report: Path) -> None:
        """Show in the window that a crash report was written. Can be called on any thread."""
        self._crashed.emit(str(report))

    # Opening workspaces

    @staticmethod
    async def _wait_until_filled(opening: OpeningBackend) -> None:
        opened = await opening.opened()
        if isinstance(opened, FillableWorkspace):
            await opened.filled()

    def _show_crash(self, report: str) -> None:
        if self.services is not None:
            self.services.notices.post(crash_text(report))

    def _show(self, workspace: str, open_workspace: Callable[[], Awaitable[OpenWorkspace]]) -> None:
        before = self._opening
        ending = self._close_workspace(before) if before is not None else None

        async def open_after() -> OpenWorkspace:
            if ending is not None and workspace in ("demo", "local"):
                await asyncio.wrap_future(ending)  # the new workspace may need its engine lock
            return await open_workspace()

        owner = EngineOwnership(self)
        backend = self._opening = OpeningBackend(open_after, owner.report)
        feed = ChangeFeed(backend, self.tasks, self)
        apps = AppStore(backend, self.tasks, self)
        feed.changed.connect(apps.on_change)
        backups = WindowBackups(self._paths, self._settings, backend.opened) if workspace == "local" else None
        self._backups = self._backups_model(backups)
        options = self._options(workspace)
        memory = ViewPreferences(options.state.load, options.state.save)
        is_local = workspace == "local"
        vault = WindowVault(backend, self._paths, self._vault_unlocked.emit) if is_local else None
        ports = WindowListeners(backend) if is_local else None
        self.services = Services(
            backend,
            self.tasks,
            feed,
            apps,
            Navigator(),
            Notices(),
            self._clock,
            memory,
            owner,
            vault,
            ports,
            notify if self._has_notifications else None,
            backups,
            self._notifications,
        )
        self.window.open_workspace(self.services, options)
        if self.window.area is not None:
            self.window.area.loading_allowed.connect(partial(self._load, workspace, self.services))

    def _load(self, workspace: str, services: Services | None) -> None:
        """Open the workspace; called after the first paint of the work area, which this would slow down."""
        if services is None or services is not self.services or self._opening is None:
            return
        failed = partial(self._on_open_failed, workspace)
        self.tasks.run(self, self._opening.opened(), failed=failed)
        services.feed.start()
        services.apps.load()
        self._load_tabs()

    def _open_new_window(self, workspace: str) -> None:
        program, *arguments = new_window_command(self._paths, workspace)
        if not QProcess.startDetached(program, arguments)[0] and self.services is not None:
            self.services.notices.post(tr("The new window couldn't be opened."))

    def _prepare_tabs(self) -> None:
        types = QtTypes(self)  # the modules of the tabs are imported in a thread
        types.created.connect(partial(self._on_types_created, types))
        types.create()

    def _on_types_created(self, types: QtTypes) -> None:
        types.deleteLater()
        self._loads_tabs = True
        self._load_tabs()

    def _load_tabs(self) -> None:
        """Import the other tabs, if the window is used and has a workspace."""
        if self._loads_tabs and self._opening is not None:
            self.tasks.run(self, self._load_tabs_after(self._opening))

    @staticmethod
    async def _load_tabs_after(opening: OpeningBackend) -> None:
        """Import the modules of the other tabs once the workspace is open, which has priority."""
        with contextlib.suppress(AppError):
            await opening.opened()
            await asyncio.to_thread(load_tabs)

    def _opener(self, workspace: str) -> Callable[[], Awaitable[OpenWorkspace]]:
        if workspace == "demo":
            return self._open_demo
        if workspace == "local":
            return self._open_local
        return lambda: self._open_remote(workspace)

    async def _open_demo(self) -> OpenWorkspace:
        demo, local = await _import_module("demo"), await _import_module("local")
        fixed = None if self._clock is now_ms else self._clock()
        opened: OpenWorkspace = await demo.open_demo(self._paths, now=fixed, actor=local.WINDOW)
        return opened

    async def _open_local(self) -> OpenWorkspace:
        local = await _import_module("local")
        opened: OpenWorkspace = await local.open_and_run(
            self._paths,
            self._settings.value,
            passphrase_file=self._passphrase_file,
            passphrase=self._passphrase,
            safe=self._safe,
            desktop=self._desktop,
        )
        self._safe = False  # only the first time; after that, the user decides when to resume
        return opened

    async def _open_remote(self, address: str) -> OpenWorkspace:
        """Open a server. The API key from the command line is used only for the first server opened."""
        self._api_key_address = self._api_key_address or address
        key = self._api_key if address == self._api_key_address else None
        return await self._servers.opened(address, api_key=key)

    def _on_open_failed(self, workspace: str, error: AppError) -> None:
        log.warning("%s couldn't be opened: %s", workspace, error.text())
        if workspace in ("demo", "local"):
            return
        if isinstance(error, AuthRequired):
            self.window.add_server(workspace)
        elif isinstance(error, (UntrustedCertificate, ValidationFailed)):
            self.window.edit_server()
            self.window.show_server_error(error)

    # Restoring and repairing

    def _backups_model(self, backups: WindowBackups | None) -> BackupsViewModel | None:
        if backups is None:
            return None
        return BackupsViewModel(backups, self.tasks, Path.home() / "Patchbay backups", self)

    def _restore(self, file: Path, passphrase: str) -> None:
        """Replace the workspace of this computer with a backup, and open it again."""

        def work() -> str:
            from patchbay.bootstrap.backup import restore
            from patchbay.bootstrap.key_store import read_passphrase

            own = self._passphrase
            if own is None and self._passphrase_file is not None:
                own = read_passphrase(Path(self._passphrase_file))
            done = asyncio.run(
                restore(self._paths, file, passphrase, own, force=True, passphrase_vault=False)
            )
            self._settings.value = SettingsFile(self._paths.settings).value
            return restored_text(done.counts)

        self._run_while_closed(work)

    def _repair(self) -> None:
        self._run_while_closed(lambda: repair_database(self._paths).text())

    def _run_while_closed(self, work: Callable[[], str]) -> None:
        """Close the workspace of this computer, do this in a thread, open it again, and say how it went."""
        results: list[str | AppError] = []

        async def run_and_open() -> OpenWorkspace:
            if not results:  # it is opened again if another program takes over the engine
                try:
                    results.append(await asyncio.to_thread(work))
                except AppError as error:
                    results.append(error)
            return await self._open_local()

        def report(_: object = None) -> None:
            self._notifications.restore(self._settings.value.notifications.to_domain())
            for result in results if self.services is not None else ():
                assert self.services is not None
                if isinstance(result, AppError):
                    self.services.notices.failed(result)
                else:
                    self.services.notices.post(result)

        self._show("local", run_and_open)
        assert self._opening is not None
        self.tasks.run(self, self._opening.opened(), done=report, failed=report)

    # Servers

    def _connect_server(self, address: str, api_key: str, options: RemoteOptions | None = None) -> None:
        work = self._servers.connect(address, api_key, options)
        self.tasks.run(self, work, done=self._on_server_connected, failed=self.window.show_server_error)

    def _on_server_connected(self, connected: RemoteWorkspace) -> None:
        self._servers.add(connected)
        self._api_key = None  # the user may have entered another one
        self._save()
        self.window.close_server_dialog()
        self.window.switching.confirm(
            connected.address, partial(self._show_connected, connected), partial(self._discard, connected)
        )

    def _discard(self, connected: RemoteWorkspace) -> None:
        self._close_workspace(connected)
        self.window.options = self._options(self.window.options.workspace)
        if self.window.area is not None:
            self.window.area.header.switcher.show_workspace(
                self.window.options.workspace, self.window.options.servers
            )

    def _show_connected(self, connected: RemoteWorkspace) -> None:
        async def already_open() -> OpenWorkspace:
            return connected

        self._remember(connected.address)
        self._show(connected.address, already_open)
        if connected.unsaved is not None and self.services is not None:
            self.services.notices.post(unsaved_key_text(connected.unsaved), show=self.window.edit_server)

    def _forget_server(self, address: str) -> None:
        """Remove a server. Closes it first if it is open, since its cache can't be deleted while in use."""
        if self._opening is not None and self.window.options.workspace == address:
            ending, self._opening = self._close_workspace(self._opening), None
            self.window.show_welcome()
        else:
            ending = None
        self._servers.remove_from_settings(address)
        self._save()
        self.window.options = self._options(self.window.options.workspace)
        self.tasks.run(self, self._forget_stored_server(address, ending), done=self._on_server_forgotten)

    async def _forget_stored_server(self, address: str, ending: Future[None] | None) -> str:
        if ending is not None:
            await asyncio.wrap_future(ending)
        return leftovers_text(address, await self._servers.delete_data(address))

    def _on_server_forgotten(self, problem: str) -> None:
        if problem and self.services is not None:
            self.services.notices.post(problem)

    # Settings

    def _remember(self, workspace: str) -> None:
        """Save which workspace the next start opens."""
        if self._remembers_workspace:
            self._settings.value.workspace = workspace
        self._save()

    def _options(self, workspace: str | None) -> ShellOptions:
        value = self._settings.value
        return ShellOptions(
            workspace=workspace,
            servers=tuple(value.services),
            network=self._servers.network(),
            appearance=Appearance(value.appearance.scheme, value.appearance.font),
            language=LanguageChoice(value.language.code, value.language.formats),
            stored_files=self._stored_files,
            version=__version__,
            test_every_hours=value.connections.test_every_hours if workspace == "local" else None,
            on_close=value.general.on_close,
            start_at_login=self._start_at_login,
            backups=self._backups if workspace == "local" else None,
            notifications=self._notifications,
            state=WindowState(self._paths.window_state) if self._saves_settings else InMemoryState(),
        )

    def _use_passphrase(self, passphrase: str) -> None:
        """Use the passphrase vault from now on, also if the workspace is opened again."""
        self._passphrase, self._passphrase_file = passphrase, None
        self._settings.value.secrets.home = "passphrase"
        self._save()

    def _save_appearance(self, chosen: Appearance) -> None:
        appearance = self._settings.value.appearance
        appearance.scheme, appearance.font = chosen.scheme, chosen.font
        self._save()

    def _save_language(self, chosen: LanguageChoice) -> None:
        """Save the language. The next start uses it."""
        language = self._settings.value.language
        language.code, language.formats = chosen.language, chosen.formats
        self._save()

    def _save_test_interval(self, hours: float) -> None:
        """Save how often connections are tested. The open workspace uses it from its next check on."""
        self._settings.value.connections.test_every_hours = hours
        self._save()

    def _save_notifications(self, chosen: NotificationSettings) -> None:
        self._settings.value.notifications.replace_with(chosen)
        self._save()

    def _save_on_close(self, chosen: OnClose) -> None:
        self._settings.value.general.on_close = chosen
        self._save()

    def _save(self) -> None:
        """Save the settings in a background thread."""
        if self._saves_settings:
            self.tasks.run(self, asyncio.to_thread(self._settings.save))


async def _import_module(name: str) -> Any:
    """Import a module of this package in a thread, since it loads the whole service."""
    return await asyncio.to_thread(importlib.import_module, f"patchbay.bootstrap.{name}")
