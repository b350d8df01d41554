"""A panel with a system tray, as far as programs see it: the StatusNotifierWatcher and its icons."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    new_error,
    new_method_call,
    new_method_return,
)
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import Properties
from tests.support.processes import until

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
STOP = "Stop"


@dataclass(frozen=True)
class Entry:
    """An entry of the menu of an icon."""

    number: int
    label: str
    enabled: bool = True


class TrayHost:
    """Answers programs that register icons, and operates the icons like a person at the panel."""

    def __init__(self, bus: str) -> None:
        self._serving = open_dbus_connection(bus)
        self._acting = open_dbus_connection(bus)
        self._items: list[str] = []
        own = message_bus.RequestName(WATCHER)
        assert self._serving.send_and_get_reply(own).body == (1,)
        self._thread = threading.Thread(target=self._serve, args=(self._serving,), name="tray-host")
        self._thread.start()

    def close(self) -> None:
        stop = new_method_call(DBusAddress("/", self._serving.unique_name, WATCHER), STOP)
        self._acting.send_and_get_reply(stop)
        self._thread.join()
        self._serving.close()
        self._acting.close()

    def icons(self) -> list[str]:
        """The programs that show an icon now, by their names on the bus."""
        return [name for name in list(self._items) if self.has_icon(name)]

    def icon(self) -> str:
        """The only icon, once it is there."""
        return until(self.icons)[0]

    def title(self, icon: str) -> str:
        """What the icon says when the mouse rests on it."""
        address = DBusAddress("/StatusNotifierItem", icon, ITEM)
        tip = self._call(Properties(address).get("ToolTip"))[0][1]
        return f"{tip[2]}\n{tip[3]}".strip()

    def click(self, icon: str) -> None:
        """Click the icon."""
        address = DBusAddress("/StatusNotifierItem", icon, ITEM)
        self._call(new_method_call(address, "Activate", "ii", (0, 0)))

    def entries(self, icon: str) -> list[Entry]:
        """The visible entries of the menu, without separators."""
        layout = self._call(self._menu(icon, "GetLayout", "iias", (0, -1, [])))[1]
        found = []
        for _, (number, properties, _) in layout[2]:
            words = {name: value[1] for name, value in properties.items()}
            if words.get("visible", True) and words.get("type") != "separator":
                label = str(words.get("label", "")).replace("_", "")
                found.append(Entry(number, label, bool(words.get("enabled", True))))
        return found

    def choose(self, icon: str, label: str) -> None:
        """Choose an entry of the menu, once it is there."""
        entry = until(lambda: next((e for e in self.entries(icon) if e.label == label and e.enabled), None))
        assert entry is not None
        self._call(self._menu(icon, "Event", "isvu", (entry.number, "clicked", ("s", ""), 0)))

    def _menu(self, icon: str, method: str, signature: str, body: tuple[Any, ...]) -> Message:
        return new_method_call(DBusAddress("/MenuBar", icon, MENU), method, signature, body)

    def _call(self, message: Message) -> Any:
        answer = self._acting.send_and_get_reply(message)
        assert answer.header.message_type is MessageType.method_return, answer.body
        return answer.body

    def has_icon(self, name: str) -> bool:
        """Whether the program still shows its icon."""
        return bool(self._acting.send_and_get_reply(message_bus.NameHasOwner(name)).body[0])

    def _serve(self, connection: DBusConnection) -> None:
        while True:
            message = connection.receive()
            if message.header.message_type is not MessageType.method_call:
                continue
            method = message.header.fields.get(HeaderFields.member)
            connection.send(self._answer(method, message))
            if method == STOP:
                return

    def _answer(self, method: Any, message: Message) -> Message:
        if method == "RegisterStatusNotifierItem":
            self._items.append(str(message.body[0]))
            return new_method_return(message)
        if method == "Get":
            value = {"IsStatusNotifierHostRegistered": ("b", True), "ProtocolVersion": ("i", 0)}
            return new_method_return(message, "v", (value[message.body[1]],))
        if method == STOP:
            return new_method_return(message)
        return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")


@contextmanager
def tray_host(bus: str) -> Iterator[TrayHost]:
    host = TrayHost(bus)
    try:
        yield host
    finally:
        host.close()
