"""Whether an answer takes so long because the keyring asks its person for a password."""

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.domain.backend import WorkspaceInfo

ASK_EVERY_MS = 1_000


class KeyringWait(QObject):
    """Looks once a second while something is under way. `words` is what to say; empty when it is not that."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._backend = services.backend
        self._slot = Latest(services.tasks, self)
        self.words = ""
        self._timer = QTimer(self, interval=ASK_EVERY_MS)
        self._timer.timeout.connect(self._ask)

    def watch(self, under_way: bool) -> None:
        """Begin looking, or stop."""
        if under_way and not self._timer.isActive():
            self._timer.start()
        elif not under_way:
            self._timer.stop()
            self.words = ""

    def _ask(self) -> None:
        self._slot.ask(self._backend.info(), done=self._told, failed=lambda _: None)

    def _told(self, info: WorkspaceInfo) -> None:
        words = f"Waiting for the {info.secrets_name}" if info.secrets_waiting else ""
        if words != self.words and self._timer.isActive():
            self.words = words
            self.changed.emit()
