"""A private session whose real gnome-keyring is brought into the states it has in people's sessions."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import secretstorage
from jeepney.io.blocking import open_dbus_connection
from secretstorage.exceptions import ItemNotFoundException
from tests.support.patience import PATIENCE

PASSWORD = "the login password"
SECRET_SERVICE = "keyring.backends.SecretService.Keyring"
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


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


class Session:
    """A bus of its own and the daemon on it. `env` is for programs that belong to the session."""

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
        with self._collection() as collection:
            return {
                item.get_attributes()["username"]: item.get_secret().decode()
                for item in collection.get_all_items()
                if item.get_attributes().get("service") == "patchbay"
            }

    def overwrite(self, name: str, value: str) -> None:
        """Another program changes an item behind our back."""
        with self._collection() as collection:
            for item in collection.search_items({"service": "patchbay", "username": name}):
                item.set_secret(value.encode())

    def delete(self, name: str) -> None:
        with self._collection() as collection:
            for item in list(collection.search_items({"service": "patchbay", "username": name})):
                item.delete()

    def add(self, name: str, value: str) -> None:
        """Put an item back, as its owner would with a copy."""
        with self._collection() as collection:
            attributes = {"service": "patchbay", "username": name, "application": "Python keyring library"}
            collection.create_item(f"Password for '{name}'", attributes, value.encode())

    def end_ring(self) -> None:
        if self._ring is not None:
            self._ring.send_signal(signal.SIGCONT)
            self._ring.terminate()
            self._ring.communicate(timeout=PATIENCE)
            self._ring = None

    def end(self) -> None:
        self.end_ring()
        self._bus.terminate()
        self._bus.communicate(timeout=PATIENCE)

    @contextmanager
    def _collection(self) -> Iterator[secretstorage.Collection]:
        with closing(open_dbus_connection(self.env["DBUS_SESSION_BUS_ADDRESS"])) as connection:
            yield secretstorage.get_default_collection(connection)


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
        ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"],
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
