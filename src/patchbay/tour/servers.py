"""The pictures of servers for the tour: offline, rejected, not trusted, and set up. All of it is posed."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from patchbay.desktop.shell.server_dialog import ServerDialog
from patchbay.domain.clock import DAY_MS
from patchbay.domain.errors import Unreachable
from patchbay.domain.remote_options import RemoteOptions, SeenCertificate, UntrustedCertificate
from patchbay.tour.scene import Scene

if TYPE_CHECKING:
    from patchbay.desktop.shell.main_window import MainWindow

_ADDRESS = "https://flows.example.org"
_FINGERPRINT = "3f9c0a51d27be8446a1908c5f2d4e7b3905a6c81ef42d70b9386c1a4d85e2f07"
_SILENT_MS = 9 * 60_000


def server_scenes(window: "MainWindow") -> tuple[Scene, ...]:
    """The warning bar of a server that is offline, and the dialog in its states."""
    poser = _ScenePoser(window)
    dialog, close = poser.dialog, poser.close
    return (
        Scene("server-offline", poser.offline, poser.is_strip_visible, leave=poser.online),
        Scene("server-rejected", poser.rejected, poser.shown, dialog, close),
        Scene("server-certificate", poser.certificate, poser.shown, dialog, close),
        Scene("server-certificate-other", poser.other_certificate, poser.shown, dialog, close),
        Scene("server-settings", poser.settings, poser.shown, dialog, close),
    )


class _ScenePoser:
    """Brings the window into the state of each picture, and back."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self._dialog: ServerDialog | None = None

    # The strip

    def offline(self) -> None:
        if (area := self._window.area) is not None and (info := area.model.info) is not None:
            since = area.services.clock() - _SILENT_MS
            area.model.info = info.model_copy(
                update={"kind": "remote", "name": "flows.example.org", "offline_since": since}
            )
            area.model.changed.emit()

    def is_strip_visible(self) -> bool:
        return self._window.area is None or self._window.area.offline.isVisible()

    def online(self) -> None:
        if self._window.area is not None:
            self._window.area.model.refresh()

    # The dialog

    def dialog(self) -> QWidget:
        return self._dialog or self._window

    def shown(self) -> bool:
        return self._dialog is not None and self._dialog.isVisible()

    def close(self) -> None:
        if self._dialog is not None:
            self._dialog.done(0)
            self._dialog = None

    def rejected(self) -> None:
        self._opened().show_rejection(
            Unreachable(
                f"Couldn't reach {_ADDRESS}.",
                meaning="The host name couldn't be found.",
                todo="Check the address and your internet connection.",
            )
        )

    def certificate(self) -> None:
        self._opened().show_rejection(self._untrusted(" (its issuer isn't known to this computer)"))

    def other_certificate(self) -> None:
        happened = f"The certificate of {_ADDRESS} isn't the one you trust."
        dialog = self._known()
        dialog.show_rejection(UntrustedCertificate(happened, certificate=self._seen(), pinned="0" * 64))

    def settings(self) -> None:
        dialog = self._known()
        dialog.network.set_open(True)

    def _opened(self) -> ServerDialog:
        return self._open(ServerDialog(self._window, _nothing, _ADDRESS))

    def _known(self) -> ServerDialog:
        network_options = RemoteOptions(proxy="http://proxy.example.org:3128", pinned_sha256=_FINGERPRINT)
        return self._open(ServerDialog(self._window, _nothing, _ADDRESS, network_options, known=True))

    def _open(self, dialog: ServerDialog) -> ServerDialog:
        self._dialog = dialog
        dialog.open()
        return dialog

    def _untrusted(self, reason: str) -> UntrustedCertificate:
        return UntrustedCertificate(
            f"The certificate of {_ADDRESS} isn't trusted{reason}.", certificate=self._seen()
        )

    def _seen(self) -> SeenCertificate:
        area = self._window.area
        now = area.services.clock() if area is not None else 0
        name = "flows.example.org"
        return SeenCertificate(
            fingerprint=_FINGERPRINT,
            subject=name,
            issuer=name,
            names=(name,),
            valid_from=now - 20 * DAY_MS,
            valid_until=now + 345 * DAY_MS,
        )


def _nothing(address: str, api_key: str, options: RemoteOptions) -> None:
    """Screenshots never prompt."""
