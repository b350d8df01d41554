"""The bases of view-models that load a screen once and load it again when the workspace changes."""

from abc import abstractmethod
from collections.abc import Callable
from operator import attrgetter
from typing import ClassVar, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.page_window import ListStatus, PageWindow
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError


class ScreenViewModel(QObject):
    """Loading, reloading and the error of a screen. Subclasses implement `_read` and set `loaded`."""

    failed = Signal(object)

    reloads_on: ClassVar[tuple[ResourceType, ...]] = ()
    """Changes of these resources load the screen again."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.loaded = False
        self.error: AppError | None = None
        self._load_started = False
        self._load_request = LatestRequest(services.tasks, self)
        services.feed.changed.connect(self._on_change)

    def load(self) -> None:
        """Load on the first call, and again if that failed; other calls do nothing."""
        if not self._load_started or self.error is not None:
            self.refresh()

    def refresh(self) -> None:
        """Load the screen again."""
        self._load_started = True
        self._read()

    @abstractmethod
    def _read(self) -> None:
        """Load the screen, as a rule with `_load_request`."""

    def _on_load_failed(self, error: AppError) -> None:
        """Show the error in place of the screen, or as a notice if there is something to see."""
        if self.loaded:
            self._services.notices.failed(error)
            return
        self.error = error
        self.failed.emit(error)

    def _on_change(self, change: Change) -> None:
        if self._load_started and change.noun in self.reloads_on:
            self.refresh()


class Query(Protocol):
    """The filters of a list; one without arguments has none."""

    @property
    def active(self) -> bool:
        """Whether the query has any filter."""
        ...


T = TypeVar("T")
Q = TypeVar("Q", bound=Query)


class PagedScreenViewModel(ScreenViewModel, Generic[T, Q]):
    """A list with a query, whose rows are loaded as they become visible. `_read` opens `window`."""

    query_changed = Signal()
    status_changed = Signal()
    refreshing_changed = Signal(bool)

    def __init__(
        self,
        services: Services,
        query: Q,
        parent: QObject | None = None,
        *,
        id_of: Callable[[T], str] = attrgetter("id"),
    ) -> None:
        super().__init__(services, parent)
        self.window: PageWindow[T] = PageWindow(services.tasks, self, id_of=id_of)
        self.query = query
        self.status = ListStatus.LOADING
        self.following = True
        """Whether new rows are shown at once."""
        self.loading = False
        """Whether rows are being loaded."""
        self.window.reset.connect(self._on_opened)
        self.window.failed.connect(self._on_load_failed)

    def refresh(self) -> None:
        """Reload everything; rows stay until the result arrives."""
        self._set_loading(True)
        super().refresh()

    def set_query(self, query: Q) -> None:
        """Change the query and reload the list."""
        if query != self.query:
            self.query = query
            self.query_changed.emit()
            self.refresh()

    def clear(self) -> None:
        """Remove all filters."""
        self.set_query(type(self.query)())

    def _current_status(self) -> ListStatus:
        if self.window.total:
            return ListStatus.READY
        return ListStatus.NO_MATCH if self.query.active else ListStatus.EMPTY

    def _set_status(self, status: ListStatus) -> None:
        self.status, self.loaded = status, status is ListStatus.READY
        self.status_changed.emit()

    def _set_loading(self, loading: bool) -> None:
        self.loading = loading
        self.refreshing_changed.emit(loading)

    def _on_opened(self) -> None:
        self.error = None
        self._set_status(self._current_status())
        self._set_loading(False)

    def _on_load_failed(self, error: AppError) -> None:
        self._set_loading(False)
        super()._on_load_failed(error)
        if not self.loaded:
            self._set_status(ListStatus.FAILED)
