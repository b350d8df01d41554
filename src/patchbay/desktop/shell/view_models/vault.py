"""Whether the passphrase vault of the workspace is locked, for the bar below the header and the prompt."""

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.changes import Change, ResourceType


class VaultViewModel(QObject):
    """The state of the vault. `prompt_requested` is emitted once, when it is first found locked."""

    changed = Signal()
    prompt_requested = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._request = LatestRequest(services.tasks, self)
        self._prompted = False
        self.state = VaultState.NOT_NEEDED

    def start(self) -> None:
        """Start following the vault, if the workspace can have one."""
        if self._services.vault is not None:
            self._services.feed.changed.connect(self._on_change)
            self.refresh()

    def refresh(self) -> None:
        """Read the state again."""
        if self._services.vault is not None:
            self._request.run(self._services.vault.state(), done=self._on_state_read, failed=lambda _: None)

    @property
    def warning(self) -> str:
        """What the bar says; empty if the vault isn't locked."""
        if self.state is not VaultState.LOCKED:
            return ""
        return tr("Connections wait until you unlock the passphrase vault. Flows without connections run.")

    def _on_change(self, change: Change) -> None:
        if change.noun is ResourceType.WORKSPACE:
            self.refresh()

    def _on_state_read(self, state: VaultState) -> None:
        self.state = state
        self.changed.emit()
        if state is VaultState.LOCKED and not self._prompted:
            self._prompted = True
            self.prompt_requested.emit()
