"""The folders and files of an installation.

`AppPaths` has all of them, so that `--data-dir` moves everything.
"""

import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from platformdirs import PlatformDirs

from patchbay.domain.errors import StorageFault
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.domain.file_names import is_reserved_name
from patchbay.platform.access_lists import keep_private

ENVIRONMENT_VARIABLE = "PATCHBAY_DATA_DIR"
DATA_KEY_FILE_VARIABLE = "PATCHBAY_DATA_KEY_FILE"
DATA_KEY_CREDENTIAL = "patchbay-data-key"
"""The name of the systemd credential with the data key."""
PRIVATE = 0o600
LOG_NAME = "patchbay.log"


@dataclass(frozen=True)
class AppPaths:
    """The folders of this installation. Nothing is created before `prepare`."""

    data: Path
    config: Path
    logs: Path
    cache: Path
    """Data that can be recreated at any time."""
    data_key: Path | None = None
    """The file with the data key, elsewhere; None if keys are in the keyring or in a passphrase vault."""

    @classmethod
    def choose(cls, data_dir: str | Path | None = None) -> "AppPaths":
        """Choose folders by `--data-dir`, the environment variable, or the system's conventions for this
        user.
        """
        if chosen := data_dir or os.environ.get(ENVIRONMENT_VARIABLE):
            root = Path(chosen).expanduser().absolute()
            return cls(root, root, root / "logs", root / "cache")
        return cls.default()

    @classmethod
    def default(cls) -> "AppPaths":
        """The folders by the system's conventions for this user."""
        system = PlatformDirs("patchbay", appauthor=False)
        return cls(
            system.user_data_path, system.user_config_path, system.user_log_path, system.user_cache_path
        )

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Patchbay's folders. No step can use the files in them."""
        return self.data, self.config, self.logs, self.cache

    @property
    def private_folders(self) -> tuple[Path, ...]:
        """Folders that programs run by steps can't access, including the user's home."""
        return *self.own_folders, Path(os.path.expanduser("~"))

    @property
    def database(self) -> Path:
        """The database file."""
        return self.data / "patchbay.db"

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.config / "settings.toml"

    @property
    def window_state(self) -> Path:
        """The file with the size and position of the window."""
        return self.config / "window.json"

    @property
    def lock(self) -> Path:
        """The file that a running engine locks."""
        return self.data / "engine.lock"

    @property
    def attachment_file(self) -> Path:
        """Address and API key of the server that holds the lock; only readable by this user."""
        return self.data / "service.json"

    @property
    def engine_request_file(self) -> Path:
        """Exists while `patchbay serve` asks a window for the engine."""
        return self.data / "engine-request.json"

    @property
    def vault(self) -> Path:
        """The file with the encryption key, encrypted by a passphrase."""
        return self.data / "vault.json"

    @property
    def apps(self) -> Path:
        """The user's own apps, one folder each."""
        return self.data / "apps"

    @property
    def pending_restore(self) -> Path:
        """Exists while a restore is being completed, with the folder to move into place."""
        return self.data / "restore.json"

    @property
    def moved(self) -> Path:
        """Says where the workspace of this folder was moved to; its database is a copy that nothing runs."""
        return self.data / "moved.json"

    @property
    def database_record(self) -> Path:
        """Says which database the servers and workers of this folder use, if not the file in it."""
        return self.data / "database.json"

    @property
    def backup_status(self) -> Path:
        """How the last scheduled backups went."""
        return self.data / "backups.json"

    @property
    def services(self) -> Path:
        """Caches of remote servers, one file each."""
        return self.cache / "services"

    def prepare(self) -> None:
        """Create the folders, without access for other users.

        Raises `StorageFault` if that fails, or if a path is taken by something that isn't a regular file.
        """
        _reject_unsuitable(self.data)
        for folder in (self.data, self.config, self.logs):
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError as error:
                raise _unusable(f"The data folder {folder} can't be used: {error.strerror}.") from error
            if not os.access(folder, os.W_OK | os.X_OK):
                raise _unusable(f"The data folder {folder} is read-only for this user.")
            keep_private(folder, own_files=(self.database.name, self.settings.name, LOG_NAME))
        for file in (
            self.database,
            self.database.with_name(f"{self.database.name}-generation"),
            self.settings,
            self.window_state,
            self.lock,
            self.attachment_file,
            self.engine_request_file,
            self.vault,
            self.pending_restore,
            self.moved,
            self.database_record,
            self.backup_status,
            *self.logs.glob("*.log"),
        ):
            _reject_special(file)


def find_data_key_file(chosen: str | None) -> Path | None:
    """The file with the data key, by `--data-key-file`, the environment variable, or systemd's credential.

    None if there is none. The file isn't read.
    """
    if file := chosen or os.environ.get(DATA_KEY_FILE_VARIABLE):
        return Path(os.path.expanduser(file)).absolute()
    credential = Path(os.environ.get("CREDENTIALS_DIRECTORY", "")) / DATA_KEY_CREDENTIAL
    return credential if credential.is_absolute() and os.path.exists(credential) else None


def _unusable(message: str) -> StorageFault:
    return StorageFault(
        message,
        meaning="Patchbay keeps its database, settings, and log there.",
        todo="Allow this user to write to it, or choose another folder with --data-dir.",
    )


def _reject_unsuitable(folder: Path) -> None:
    """Raises `StorageFault` for a path that Windows takes for a device, or that is on another computer."""
    if sys.platform != "win32":
        return
    path = PureWindowsPath(str(folder))
    if path.drive.startswith("\\\\") and path.drive[2:3] not in ("?", "."):
        raise StorageFault(
            f"The data folder {folder} is on another computer.",
            meaning="Over a network, the system can't guarantee that stored data is on the disk, and that "
            "only one program runs the flows.",
            todo="Choose a folder on this computer with --data-dir. Other computers can connect to it over "
            "HTTP.",
        )
    if reserved := next(filter(is_reserved_name, path.parts[1:]), None):
        raise StorageFault(
            f"The data folder {folder} can't be used: on Windows, “{reserved}” is the name of a device.",
            todo="Choose another folder with --data-dir.",
        )


def _reject_special(path: Path) -> None:
    """Raises `StorageFault` for a pipe, socket, or device: opening or reading it could wait forever."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # opening the file will report the error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise StorageFault(
            f"{path} isn't a regular file but a pipe, socket, or device.",
            meaning="Patchbay can't read it or store anything in it.",
            todo="Remove it or move it away, or choose another folder with --data-dir.",
        )


def write_private(path: Path, text: str) -> None:
    """Write a file atomically, with mode 0600 from the start.

    A crash leaves either the old or the new file.
    """
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        replace_file(Path(temporary), path)
    except BaseException:
        delete_file(Path(temporary))
        raise
