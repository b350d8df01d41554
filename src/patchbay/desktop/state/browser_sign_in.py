"""Signing in at a third party in the system browser: begin, wait, hand in the address by hand, give up."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Task
from patchbay.domain.base import AppKey, ConnectionId, JsonObject
from patchbay.domain.connections import Connection, SignIn
from patchbay.domain.errors import AppError, DifferentAccount, NotFound, ValidationFailed

OpenUrl = Callable[[str], bool]
"""Opens an address in the system browser; False when there is none."""


class BrowserSignIn(QObject):
    """One sign-in at a time. Nothing is stored before `signed_in`; the old credentials work until then.

    The browser opens by itself, unless a code is to be typed first or there is something to know before.
    """

    changed = Signal()
    signed_in = Signal(object)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, services: Services, open_url: OpenUrl, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend, self._open_url = services, services.backend, open_url
        self.began: SignIn | None = None
        self.opened: bool | None = None
        """Whether the browser could be opened; None while nobody tried."""
        self.returned = False
        """Whether the address was handed in by hand, so that only the check is left."""
        self.pasting = False
        self.paste_problem = ""
        self._task: Task | None = None

    @property
    def seconds_left(self) -> int:
        """How long the third party's page will be waited for."""
        return max(0, (self.began.expires_at - self._services.clock()) // 1000) if self.began else 0

    def begin(self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None) -> None:
        """Prepare the sign-in, open the browser and wait for it to come back."""
        self.began, self.opened, self.returned = None, None, False
        self.pasting, self.paste_problem = False, ""
        work = self._backend.begin_sign_in(app_key, values, connection_id)
        self._task = self._services.tasks.run(self, work, done=self._begun, failed=self.failed.emit)
        self._task.cancelled.connect(self.stopped)

    def open_browser(self) -> None:
        """Open the third party's page, once more when it was closed."""
        if self.began is not None:
            self.opened = self._open_url(self.began.url)
            self.changed.emit()

    def accept_other_account(self) -> None:
        """Go on although the account differs from the one before."""
        self._wait(accept=True)

    def paste(self, address: str) -> None:
        """Hand in the address the browser ended at, when it could not come back by itself."""
        if self.began is None or self.pasting:
            return
        if not address.strip():
            self._not_taken(ValidationFailed({"address": ["Paste the address of the last page."]}))
            return
        self.pasting, self.paste_problem = True, ""
        work = self._backend.submit_callback(self.began.id, address.strip())
        self._services.tasks.run(self, work, done=lambda _: self._taken(), failed=self._not_taken)
        self.changed.emit()

    def cancel(self) -> None:
        """Give it up; nothing is stored and nothing is changed."""
        self._let_go()
        if self._task is not None:
            self._task.cancel()
        else:
            self.stopped.emit()

    def _begun(self, began: SignIn) -> None:
        self.began = began
        if began.device is None and began.notice is None:
            self.opened = self._open_url(began.url)
        self._wait(accept=False)

    def _wait(self, *, accept: bool) -> None:
        if self.began is None:
            return
        self.returned = self.returned or accept
        work = self._backend.finish_sign_in(self.began.id, accept_other_account=accept)
        self._task = task = self._services.tasks.run(self, work, done=self._finished, failed=self._refused)
        task.cancelled.connect(self.stopped)
        task.ended.connect(lambda: self._forget(task))
        self.changed.emit()

    def _forget(self, task: Task) -> None:
        if self._task is task:
            self._task = None

    def _finished(self, connection: Connection) -> None:
        self.began = None
        self.signed_in.emit(connection)

    def _refused(self, error: AppError) -> None:
        if self.began is None and isinstance(error, NotFound):
            self.stopped.emit()  # given up here
            return
        if not isinstance(error, DifferentAccount):
            self._let_go()
        self.failed.emit(error)

    def _let_go(self) -> None:
        began, self.began = self.began, None
        if began is not None:  # the form may be gone before the workspace has answered
            self._services.tasks.run(self._services.notices, self._backend.cancel_sign_in(began.id))

    def _taken(self) -> None:
        self.pasting, self.returned = False, True
        self.changed.emit()

    def _not_taken(self, error: AppError) -> None:
        self.pasting = False
        by_field = error.by_field.values() if isinstance(error, ValidationFailed) else ()
        self.paste_problem = next((words[0] for words in by_field if words), error.text())
        self.changed.emit()
