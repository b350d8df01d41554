"""Desktop notifications."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Notify
from patchbay.desktop.kit.icons import icon
from patchbay.desktop.tasks import Task, Tasks
from patchbay.domain.desktop import Notification as FlowNotification

NOTIFICATION_MS = 30_000

TrayFactory = Callable[[], QSystemTrayIcon | None]


Actions = Mapping[str, Callable[[], object]]
"""What a notification offers besides opening its place: by the label of the button."""
NO_ACTIONS: Actions = {}
OPEN = "default"
"""The key of the button that opens the place, which a click on the notification does too."""


class ShowInWindow(Protocol):
    """Shows a notice inside the window, with a button that opens its place."""

    def __call__(self, text: str, *, show: Callable[[], None]) -> object: ...


def flow_title(notification: FlowNotification) -> str:
    """The title of a notification of a flow, which begins with the flow's name."""
    name, title = notification.flow_name, notification.title
    return tr("Flow “{name}”: {title}", name=name, title=title) if name else title


def plain_message(text: str) -> str:
    """The text without what a desktop would interpret as markup; escaping differs between desktops."""
    return text.replace("<", "‹").replace(">", "›")


def system_tray() -> QSystemTrayIcon | None:
    """A tray icon that can show notifications; None if the desktop has none."""
    available = QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()
    return QSystemTrayIcon() if available else None


class Notifier(QObject):
    """Shows desktop notifications, or inside the window if it is active.

    The notification service of the desktop (`notify`) shows them with buttons. Without one, a tray icon does,
    which is visible only during a notification, except the one in the background (`use_tray`). Without
    either, the window shows the notification once it is active.
    """

    seen = Signal()
    """Emitted when the notification was shown inside the window, clicked, or closed."""

    def __init__(
        self,
        owner: QWidget,
        in_window: ShowInWindow,
        tray: TrayFactory = system_tray,
        *,
        tasks: Tasks | None = None,
        notify: Notify | None = None,
    ) -> None:
        super().__init__(owner)
        self._owner = owner
        self._in_window = in_window
        self._make_tray = tray
        self._tasks, self._notify = tasks, notify
        self._notification: Task | None = None
        """The notification that the desktop shows."""
        self._tray: QSystemTrayIcon | None = None
        self._permanent: QSystemTrayIcon | None = None
        self._show: Callable[[], None] | None = None
        self._kept: Callable[[], None] | None = None
        """Shows in the window the notification that nothing else could show."""
        self._hide_timer = QTimer(self, singleShot=True, interval=NOTIFICATION_MS)
        self._hide_timer.timeout.connect(self._hide_tray)

    def use_tray(self, tray: QSystemTrayIcon | None) -> None:
        """Show notifications with this icon, which stays visible; None to use one of our own again."""
        if tray is not None and tray.supportsMessages():
            tray.messageClicked.connect(self._clicked)
            self._permanent = tray
        else:
            self._permanent = None

    def show_message(
        self, title: str, text: str, show: Callable[[], None], actions: Actions = NO_ACTIONS
    ) -> None:
        """Show a notification in place of the previous one; `show` opens its place."""
        if self._owner.isActiveWindow():
            self._show_in_window(title, text, show)
        elif self._notify is None or self._tasks is None:
            self._show_in_tray(title, text, show)
        else:
            if self._notification is not None:
                self._notification.cancel()
            choices = {OPEN: show, **actions}
            task = self._tasks.run(
                self,
                self._notify(
                    title, text, {OPEN: tr("Open", "verb, button"), **{label: label for label in actions}}
                ),
                done=lambda chosen: choices.get(chosen, lambda: None)(),
                failed=lambda _: self._show_in_tray(title, text, show),
            )
            task.ended.connect(partial(self._on_closed, task))
            self._notification = task

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show what was kept once the window is active."""
        if event.type() is QEvent.Type.WindowActivate:
            self._watch_window(False)
            kept, self._kept = self._kept, None
            if kept is not None:
                kept()
        return False

    def _watch_window(self, watched: bool) -> None:
        window = self._owner.window()
        window.installEventFilter(self) if watched else window.removeEventFilter(self)

    def _on_closed(self, notification: Task) -> None:
        if notification is self._notification:
            self._notification = None
            if self._kept is None and not self._hide_timer.isActive():
                self.seen.emit()

    def _show_in_window(self, title: str, text: str, show: Callable[[], None]) -> None:
        self._in_window(f"{title}. {text}" if text else title, show=show)
        self.seen.emit()

    def _show_in_tray(self, title: str, text: str, show: Callable[[], None]) -> None:
        tray = self._permanent or self._tray_icon()
        if tray is None:
            self._kept = partial(self._show_in_window, title, text, show)
            self._watch_window(True)
            return
        self._show = show
        if tray is not self._permanent:
            tray.show()
        texts = plain_message(title), plain_message(text)
        tray.showMessage(*texts, QSystemTrayIcon.MessageIcon.Warning, NOTIFICATION_MS)
        self._hide_timer.start()

    def _tray_icon(self) -> QSystemTrayIcon | None:
        if self._tray is None and (tray_icon := self._make_tray()) is not None:
            tray_icon.setParent(self)
            window = self._owner.window().windowIcon()
            tray_icon.setIcon(icon("unplug") if window.isNull() else window)
            tray_icon.setToolTip("Patchbay")
            tray_icon.messageClicked.connect(self._clicked)
            tray_icon.activated.connect(lambda _: self._clicked())
            self._tray = tray_icon
        return self._tray

    def _clicked(self) -> None:
        self._hide_tray()
        if self._show is not None:
            self._show()

    def _hide_tray(self) -> None:
        self._hide_timer.stop()
        if self._tray is not None:
            self._tray.hide()
        self.seen.emit()
