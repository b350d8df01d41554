"""The apps of the workspace, loaded once: names, colours, and icons for every screen."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.tasks import Tasks
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError


class AppStore(QObject):
    """All apps by key. `get` returns the loaded app; `detail` also loads its fields and events."""

    changed = Signal()
    failed = Signal(object)

    def __init__(self, backend: Backend, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend, self._tasks = backend, tasks
        self._apps: dict[AppKey, AppInfo] = {}
        self._details: dict[AppKey, AppInfo] = {}

    @property
    def all(self) -> tuple[AppInfo, ...]:
        """All apps, in the order of the list."""
        return tuple(self._apps.values())

    def get(self, key: AppKey | None) -> AppInfo | None:
        return None if key is None else self._apps.get(key)

    def load(self) -> None:
        self._tasks.run(self, self._backend.list_apps(), done=self._on_loaded, failed=self.failed.emit)

    def detail(
        self,
        key: AppKey,
        done: Callable[[AppInfo], object],
        failed: Callable[[AppError], object] | None = None,
        *,
        owner: QObject,
    ) -> None:
        """Call `done` with the app and its auth fields, triggers, and actions; immediately if it is loaded.

        Once `owner` is destroyed, the callbacks aren't called any more.
        """
        if known := self._details.get(key):
            done(known)
            return

        def on_loaded(app: AppInfo) -> None:
            self._details[key] = app
            done(app)

        self._tasks.run(owner, self._backend.get_app(key), done=on_loaded, failed=failed or self.failed.emit)

    def on_change(self, change: Change) -> None:
        """Reload the apps after one of them, or a connection, changed. Connected to the change feed."""
        if change.noun in (ResourceType.APP, ResourceType.CONNECTION, ResourceType.WORKSPACE):
            if change.noun is not ResourceType.CONNECTION:
                self._details.clear()
            self.load()

    def _on_loaded(self, apps: tuple[AppInfo, ...]) -> None:
        self._apps = {app.key: app for app in apps}
        self.changed.emit()
