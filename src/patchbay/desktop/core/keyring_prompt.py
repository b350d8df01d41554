"""Detects when a request takes long because the keyring asks the user for a password."""

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.secret_stores import waiting_text
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import WorkspaceInfo

POLL_MS = 1_000


class KeyringWatcher(QObject):
    """Checks once a second while a request runs. `message` is what to show; empty if the keyring isn't
    asking.
    """

    changed = Signal()

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._backend = services.backend
        self._request = LatestRequest(services.tasks, self)
        self.message = ""
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._poll)

    def watch(self, active: bool) -> None:
        """Start or stop checking."""
        if active and not self._timer.isActive():
            self._timer.start()
        elif not active:
            self._timer.stop()
            self.message = ""

    def _poll(self) -> None:
        self._request.run(self._backend.info(), done=self._on_info_loaded, failed=lambda _: None)

    def _on_info_loaded(self, info: WorkspaceInfo) -> None:
        message = waiting_text(info) if info.secrets_waiting else ""
        if message != self.message and self._timer.isActive():
            self.message = message
            self.changed.emit()
