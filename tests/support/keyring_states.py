"""A private session whose real gnome-keyring is brought into the states it has in people's sessions."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import secretstorage
from jeepney import DBusAddress, HeaderFields, MatchRule, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from secretstorage.exceptions import ItemNotFoundException
from secretstorage.util import open_session
from tests.support.patience import PATIENCE

PASSWORD = "the login password"
SECRET_SERVICE = "keyring.backends.SecretService.Keyring"
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
LOGIN = "/org/freedesktop/secrets/collection/login"
MESSAGE_BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")


def environment_of(home: Path, backend: str = SECRET_SERVICE) -> dict[str, str]:
    """The environment of programs whose keyring, if there is one, lives in `home`."""
    home.mkdir(parents=True, exist_ok=True)
    folders = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "XDG_DATA_HOME": str(home / "share"),
        "XDG_CONFIG_HOME": str(home / "config"),
    }
    return folders | ({"PYTHON_KEYRING_BACKEND": backend} if backend else {})


class Announcements:
    """What the daemon announces of its items from now on, in order. It isn't asked anything."""

    def __init__(self, connection: DBusConnection) -> None:
        self._connection = connection
        rule = MatchRule(type="signal", interface="org.freedesktop.Secret.Collection", path=LOGIN).serialise()
        connection.send_and_get_reply(new_method_call(MESSAGE_BUS, "AddMatch", "s", (rule,)))

    def wait_for(self, change: str, number: int) -> None:
        """Wait until so many items have been "ItemCreated" or "ItemDeleted". Raises `TimeoutError`."""
        while number:
            fields = self._connection.receive(timeout=PATIENCE).header.fields
            number -= fields.get(HeaderFields.member) == change


class Session:
    """A bus of its own and the daemon on it. `env` is for programs that belong to the session.

    It is asked for its items through one connection that stays open, and by the path of the collection:
    gnome-keyring 42 may crash when a new connection arrives while it looks up the default collection for
    another one, such as the program's.
    """

    def __init__(self, home: Path, display: str | None = None) -> None:
        self.env = environment_of(home)
        outside = {name: value for name, value in os.environ.items() if name not in DISPLAYS}
        self._all = {**outside, **self.env}
        if display is not None:
            self._all["DISPLAY"] = display
        self._bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
            env=self._all,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._bus.stdout is not None
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self._all["DBUS_SESSION_BUS_ADDRESS"] = (
            self._bus.stdout.readline().strip()
        )
        self._ring: subprocess.Popen[str] | None = None
        self._login: secretstorage.Collection | None = None

    def start(self, *, unlocked: bool = True) -> None:
        """Start the keyring; the login keyring is made when it is unlocked for the first time."""
        words = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        self._ring = subprocess.Popen(
            words + (["--unlock"] if unlocked else []),
            env=self._all,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._ring.stdin is not None
        self._ring.stdin.write(PASSWORD if unlocked else "")
        self._ring.stdin.close()
        self._ring.stdin = None
        assert self._ring.stdout is not None
        self._ring.stdout.readline()  # it tells its control folder once it is up

    def lock(self) -> None:
        """As after a login without a password: the keyring is there and closed."""
        self.end_ring()
        self.start(unlocked=False)

    def unlock(self) -> None:
        """As when its person gave the password."""
        self.end_ring()
        self.start()

    def freeze(self) -> None:
        """From now on every call hangs, as with an unanswered prompt."""
        assert self._ring is not None
        self._ring.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """What hung is answered."""
        assert self._ring is not None
        self._ring.send_signal(signal.SIGCONT)

    def items(self) -> dict[str, str]:
        """What the program keeps in the keyring, by name."""
        while True:
            with suppress(ItemNotFoundException):  # one was deleted while we looked: look again
                return self._items()

    def _items(self) -> dict[str, str]:
        return {
            item.get_attributes()["username"]: item.get_secret().decode()
            for item in self._collection().search_items({"service": "patchbay"})
        }

    def overwrite(self, name: str, value: str) -> None:
        """Another program changes an item behind our back."""
        for item in self._collection().search_items({"service": "patchbay", "username": name}):
            item.set_secret(value.encode())

    def delete(self, name: str) -> None:
        for item in list(self._collection().search_items({"service": "patchbay", "username": name})):
            item.delete()

    def add(self, name: str, value: str) -> None:
        """Put an item back, as its owner would with a copy."""
        attributes = {"service": "patchbay", "username": name, "application": "Python keyring library"}
        self._collection().create_item(f"Password for '{name}'", attributes, value.encode())

    @contextmanager
    def announcements(self) -> Iterator[Announcements]:
        """What the daemon announces while the block runs."""
        with closing(open_dbus_connection(self.env["DBUS_SESSION_BUS_ADDRESS"])) as connection:
            yield Announcements(connection)

    def end_ring(self) -> None:
        if self._login is not None:
            self._login.connection.close()
            self._login = None
        if self._ring is not None:
            self._ring.send_signal(signal.SIGCONT)
            self._ring.terminate()
            self._ring.communicate(timeout=PATIENCE)
            self._ring = None

    def end(self) -> None:
        self.end_ring()
        self._bus.terminate()
        self._bus.communicate(timeout=PATIENCE)

    def _collection(self) -> secretstorage.Collection:
        if self._login is None:
            connection = open_dbus_connection(self.env["DBUS_SESSION_BUS_ADDRESS"])
            self._login = secretstorage.Collection(connection, LOGIN, open_session(connection))
        return self._login


@contextmanager
def session(home: Path, *, display: str | None = None, unlocked: bool = True) -> Iterator[Session]:
    """A session while the block runs; all its daemons end with it."""
    opened = Session(home, display)
    try:
        opened.start(unlocked=unlocked)
        yield opened
    finally:
        opened.end()


@contextmanager
def x_display() -> Iterator[str]:
    """A display nobody looks at, so that prompts appear and are never answered."""
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield f":{server.stdout.readline().strip()}"
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE)


def copied(folder: Path, to: Path) -> Path:
    """A copy as it is carried to another computer: files only, no sockets of daemons that ran."""

    def not_files(where: str, names: list[str]) -> list[str]:
        found = [Path(where) / name for name in names]
        return [path.name for path in found if not (path.is_file() or path.is_dir())]

    shutil.copytree(folder, to, ignore=not_files)
    return to
