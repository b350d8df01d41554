"""What a screen reader sees of a program: the accessibility tree, read over D-Bus (AT-SPI).

Only what is showing is read, by role, name and place on the screen. Tables are read at the places that are
showing: asking for all cells of a long list takes minutes.
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jeepney import DBusAddress, MatchRule, Message, MessageType, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection

A11Y = "org.a11y.atspi."
ROOT = "/org/a11y/atspi/accessible/root"
PROPERTIES = "org.freedesktop.DBus.Properties"
SERIAL = slice(8, 12)
"""Where a message has its number, in little-endian order."""
SCREEN = 0
"""Coordinates count from the corner of the screen."""

STATES = {
    1: "active",
    4: "checked",
    8: "enabled",
    9: "expandable",
    10: "expanded",
    11: "focusable",
    12: "focused",
    16: "modal",
    20: "pressed",
    23: "selected",
    24: "sensitive",
    25: "showing",
    30: "visible",
    41: "checkable",
}
"""Bits of the state set, as far as they matter here. Source: AT-SPI 2, `AtspiStateType`."""
MOST_COLUMNS = 16
TABLES = ("table", "tree table", "tree")
LEAVES = frozenset(
    {
        "push button",
        "toggle button",
        "check box",
        "radio button",
        "label",
        "text",
        "password text",
        "cell",
        "page tab",
        "menu item",
        "column header",
        "tree item",
        "separator",
        "icon",
        "image",
    }
)
"""Roles that hold nothing, so that they aren't asked; a menu is a window of its own."""


@dataclass(frozen=True, slots=True)
class Place:
    """Extents on the screen, in pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def holds(self, other: "Place") -> bool:
        x, y = other.middle
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(slots=True)
class Node:
    """One accessible object as it was when it was read."""

    path: str
    role: str
    name: str
    states: frozenset[str] = frozenset()
    place: Place = Place(0, 0, 0, 0)
    description: str = ""
    children: list["Node"] = field(default_factory=list)

    @property
    def enabled(self) -> bool:
        return "enabled" in self.states and "sensitive" in self.states

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()

    def outline(self, depth: int = 0) -> str:
        """The tree as text, for the words of a failed test."""
        line = f"{'  ' * depth}{self.role} “{self.name}”"
        return "\n".join([line, *(child.outline(depth + 1) for child in self.children)])


class AccessibilityBus:
    """A connection to the accessibility bus of a session, and what it tells about one process."""

    def __init__(self, session_bus: str, pid: int) -> None:
        self._pid = pid
        with open_dbus_connection(session_bus) as session:
            answer = session.send_and_get_reply(
                new_method_call(DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress")
            )
        self._connection: DBusConnection = open_dbus_connection(answer.body[0])
        self._name = ""
        self._roles: dict[str, str] = {}
        self._requests: dict[tuple[Any, ...], bytes] = {}
        self._focused: str | None = None
        self._shown: list[str] = []
        self._listen()

    def close(self) -> None:
        self._connection.close()

    def find_application(self, seconds: float) -> None:
        """Wait until the process is on the bus. Raises `TimeoutError`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name, _ in self._children("org.a11y.atspi.Registry", ROOT):
                if self._process_of(name) == self._pid:
                    self._name = name
                    return
            time.sleep(0.1)
        raise TimeoutError(f"process {self._pid} is not on the accessibility bus after {seconds} s")

    def ping(self) -> None:
        """Return once the window's thread has answered."""
        self._read([ROOT])

    def focus_after(self, act: Callable[[], None], seconds: float = 2.0) -> Node | None:
        """What gets the focus by an act; None if nothing does."""
        self._drain()
        self._focused = None
        act()
        self._drain()
        end = time.monotonic() + seconds
        while self._focused is None and time.monotonic() < end:
            self._drain()
        return self._read([self._focused])[0] if self._focused is not None else None

    def way_to(self, node: Node) -> list[Node]:
        """What holds the object, from the window down to the object itself, as it is now."""
        paths = [node.path]
        while (parent := self._parent(paths[-1])) is not None and parent != ROOT and len(paths) < 60:
            paths.append(parent)
        return self._read(paths[::-1])

    def tree(self) -> Node:
        """Everything that is showing in the windows of the process, popups included."""
        root = self._read([ROOT])[0]
        root.children = [child for path in self._paths(ROOT) if (child := self._subtree(path)) is not None]
        root.children += self.popups({node.path for node in root.walk()})
        return root

    def is_active(self) -> bool:
        """Whether one of the windows of the process is active, which means that it gets the keys."""
        return any("active" in window.states for window in self._read(self._paths(ROOT)))

    def items(self, holder: Node) -> list[Node]:
        """All entries of a list, those out of sight included."""
        return self._read(self._paths(holder.path))

    def text(self, field: Node) -> str:
        """What a field holds; its name is that of the field."""
        answer = self._ask_all([self._call(field.path, "Text", "GetText", "ii", (0, -1))])[0]
        return str(answer[0]) if answer else ""

    def focus(self, node: Node) -> None:
        """Give the focus to a control, as a screen reader does."""
        self._ask_all([self._call(node.path, "Component", "GrabFocus")])

    def row_count(self, table: Node) -> int:
        """How many rows a table has, those out of sight included."""
        answer = self._ask_all([self._property(table.path, "Table", "NRows")])[0]
        return int(answer[0][1]) if answer else 0

    def cells(self, table: Node, rows: Sequence[int], columns: Sequence[int]) -> list[tuple[str, ...]]:
        """What these columns of these rows say, in sight or not."""
        places = [(row, column) for row in rows for column in columns]
        found = self._ask_all(
            [self._call(table.path, "Table", "GetAccessibleAt", "ii", place) for place in places]
        )
        paths = [cell[0][1] if cell else ROOT for cell in found]
        asked = self._ask_all([self._property(path, "Accessible", "Name") for path in paths])
        names = [name[0][1] if name else "" for name in asked]
        return [tuple(names[start : start + len(columns)]) for start in range(0, len(names), len(columns))]

    def popups(self, known: Collection[str] = ()) -> list[Node]:
        """Open popups and menus, oldest first: Qt leaves them out of the children of their parent.

        `known` are objects that are part of a window.
        """
        self._drain()
        found: dict[str, Node] = {}
        asked = dict.fromkeys([*self._shown, *self._climb(self._focused, known)])
        paths = [path for path in asked if path not in known]
        parents = self._parents(paths)
        children_of = list(dict.fromkeys(filter(None, parents)))
        children = dict(zip(children_of, self._all_children(children_of), strict=True))
        for path, parent in zip(paths, parents, strict=True):
            if parent is None or path in children[parent]:
                continue
            if parent != ROOT and self._read([path])[0].role != "popup menu":
                continue  # the frame of a scroll bar, which is nobody's child either
            if (node := self._subtree(path)) is not None:
                found[path] = node
        self._shown = [path for path in self._shown if path in found]
        return list(found.values())

    def _climb(self, path: str | None, known: Collection[str]) -> Iterator[str]:
        while path is not None and path != ROOT and path not in known:
            yield path
            path = self._parent(path)

    # Reading

    def _subtree(self, path: str) -> Node | None:
        """Level by level, so that the questions of one level travel together."""
        top = self._read([path])[0]
        if "showing" not in top.states:
            return None
        level = [top]
        while level:
            below: list[tuple[Node, str]] = []
            for node, paths in zip(level, self._all_children([node.path for node in level]), strict=True):
                below += [(node, child) for child in paths]
            read = self._read([child for _, child in below])
            level = []
            for (parent, _), node in zip(below, read, strict=True):
                if "showing" in node.states and node.place.width > 0 and node.role != "gone":
                    parent.children.append(node)
                    if node.role in TABLES:
                        node.children = self._showing_cells(node)
                    elif node.role not in LEAVES:
                        level.append(node)
        return top

    def _showing_cells(self, table: Node) -> list[Node]:
        """The headers and cells of a table that are on the screen, found by asking at places of it.

        A line of questions down the left edge tells the rows, a line across the first row the columns.
        """
        place = table.place
        left, top = place.x + 4, place.y + 4
        column = self._at(table, [(left, y) for y in range(top, place.y + place.height, 8)])
        if not column:
            return self._headers(table)
        first = column[0].place
        row = self._at(table, [(x, first.middle[1]) for x in range(left, place.x + place.width, 16)])
        spots = [(cell.place.middle[0], head.place.middle[1]) for head in column[1:] for cell in row]
        cells = {cell.path: cell for cell in [*column, *row, *self._at(table, spots)]}
        return [*self._headers(table), *sorted(cells.values(), key=lambda cell: (cell.place.y, cell.place.x))]

    def _at(self, table: Node, spots: Sequence[tuple[int, int]]) -> list[Node]:
        """The cells at these places, each once, in the order of the places."""
        found: dict[str, None] = {}
        calls = [
            self._call(table.path, "Component", "GetAccessibleAtPoint", "iiu", (x, y, SCREEN))
            for x, y in spots
        ]
        for answer in self._ask_all(calls):
            if answer is not None and answer[0][0] == self._name and answer[0][1] != table.path:
                found[answer[0][1]] = None
        cells = self._read([path for path in found if not path.endswith("/null")])
        # Of a branch that was folded, Qt still answers the entries.
        return [cell for cell in cells if "showing" in cell.states and cell.place.width > 0]

    def _headers(self, table: Node) -> list[Node]:
        """The column headers, which are the first children of a table."""
        calls = [
            self._call(table.path, "Accessible", "GetChildAtIndex", "i", (n,)) for n in range(MOST_COLUMNS)
        ]
        paths = [answer[0][1] for answer in self._ask_all(calls) if answer is not None]
        nodes = self._read([path for path in paths if not path.endswith("/null")])
        return [node for node in nodes if node.role == "column header" and "showing" in node.states]

    def _read(self, paths: Sequence[str]) -> list[Node]:
        """The objects at these paths. Only what can be operated is asked for its description."""
        self._read_roles([path for path in paths if path not in self._roles])
        calls = []
        for path in paths:
            calls += [
                self._property(path, "Accessible", "Name"),
                self._call(path, "Accessible", "GetState"),
                self._call(path, "Component", "GetExtents", "u", (SCREEN,)),
            ]
        answers = self._ask_all(calls)
        nodes = []
        for number, path in enumerate(paths):
            name, states, place = answers[number * 3 : number * 3 + 3]
            node = Node(path, self._roles[path] if states else "gone", name[0][1] if name else "")
            node.states = _states(states[0]) if states else frozenset()
            node.place = Place(*place[0]) if place else Place(0, 0, 0, 0)
            nodes.append(node)
        described = [node for node in nodes if "focusable" in node.states or node.role == "column header"]
        asked = [self._property(node.path, "Accessible", "Description") for node in described]
        for node, answer in zip(described, self._ask_all(asked), strict=True):
            node.description = answer[0][1] if answer else ""
        return nodes

    def _read_roles(self, paths: Sequence[str]) -> None:
        """What an object is never changes, so it is asked once."""
        calls = [self._call(path, "Accessible", "GetRoleName") for path in paths]
        for path, answer in zip(paths, self._ask_all(calls), strict=True):
            self._roles[path] = answer[0] if answer else "gone"

    def _paths(self, path: str) -> list[str]:
        return self._all_children([path])[0]

    def _all_children(self, paths: Sequence[str]) -> list[list[str]]:
        answers = self._ask_all([self._call(path, "Accessible", "GetChildren") for path in paths])
        return [[child for _, child in answer[0]] if answer else [] for answer in answers]

    def _children(self, name: str, path: str) -> list[tuple[str, str]]:
        answer = self._ask_all([_request(DBusAddress(path, name, f"{A11Y}Accessible"), "GetChildren")])[0]
        return list(answer[0]) if answer else []

    def _parent(self, path: str) -> str | None:
        return self._parents([path])[0]

    def _parents(self, paths: Sequence[str]) -> list[str | None]:
        calls = [self._property(path, "Accessible", "Parent") for path in paths]
        return [answer[0][1][1] if answer else None for answer in self._ask_all(calls)]

    # Talking

    def _listen(self) -> None:
        """Hear which object has the focus, and which begin to show, by which `popups` finds popups."""
        registry = DBusAddress("/org/a11y/atspi/registry", "org.a11y.atspi.Registry", f"{A11Y}Registry")
        for event in ("object:state-changed:focused", "object:state-changed:showing"):
            self._connection.send_and_get_reply(
                new_method_call(registry, "RegisterEvent", "sass", (event, [], ""))
            )
        bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        rule = MatchRule(type="signal", interface=f"{A11Y}Event.Object", member="StateChanged").serialise()
        self._connection.send_and_get_reply(new_method_call(bus, "AddMatch", "s", (rule,)))

    def _drain(self) -> None:
        while True:
            try:
                self._hear(self._connection.receive(timeout=0.01))
            except TimeoutError:
                return

    def _hear(self, message: Message) -> None:
        header = message.header
        if header.message_type is not MessageType.signal or not message.body:
            return
        fields = {key.name: value for key, value in header.fields.items()}
        if fields.get("sender") != self._name or message.body[1] != 1:
            return
        if message.body[0] == "focused":
            self._focused = fields["path"]
        elif message.body[0] == "showing":
            self._shown.append(fields["path"])

    def _property(self, path: str, interface: str, name: str) -> bytes:
        return self._asked(path, PROPERTIES, "Get", "ss", (f"{A11Y}{interface}", name))

    def _call(
        self, path: str, interface: str, method: str, signature: str | None = None, body: Any = ()
    ) -> bytes:
        return self._asked(path, f"{A11Y}{interface}", method, signature, body)

    def _asked(self, path: str, interface: str, method: str, signature: str | None, body: Any) -> bytes:
        """The request, which is kept: each look at the tree asks the same again."""
        words = (path, interface, method, signature, body)
        if words not in self._requests:
            address = DBusAddress(path, self._name, interface)
            self._requests[words] = _request(address, method, signature, body)
        return self._requests[words]

    def _ask_all(self, requests: Sequence[bytes]) -> list[Any]:
        """The bodies of the answers, in order; None for an object that is gone or can't answer."""
        waiting: dict[int, int] = {}
        answers: list[Any] = [None] * len(requests)
        for start in range(0, len(requests), 200):
            sent = bytearray()
            for number, request in enumerate(requests[start : start + 200], start):
                serial = next(self._connection.outgoing_serial)
                sent += request[: SERIAL.start] + serial.to_bytes(4, "little") + request[SERIAL.stop :]
                waiting[serial] = number
            self._connection.sock.sendall(sent)
            while waiting:
                message = self._connection.receive(timeout=60)
                fields = {key.name: value for key, value in message.header.fields.items()}
                serial = fields.get("reply_serial", -1)
                if serial not in waiting:
                    self._hear(message)
                    continue
                number = waiting.pop(serial)
                if message.header.message_type is MessageType.method_return:
                    answers[number] = message.body
        return answers

    def _process_of(self, name: str) -> int | None:
        bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        answer = self._ask_all([_request(bus, "GetConnectionUnixProcessID", "s", (name,))])[0]
        return answer[0] if answer else None


def _request(address: DBusAddress, method: str, signature: str | None = None, body: Any = ()) -> bytes:
    """A request as it is sent, but for its serial number."""
    made: bytes = new_method_call(address, method, signature, body).serialise(serial=1)
    return made


def _states(words: Sequence[int]) -> frozenset[str]:
    bits = words[0] | (words[1] << 32 if len(words) > 1 else 0)
    return frozenset(name for bit, name in STATES.items() if bits >> bit & 1)
