"""Paths that steps enter, compared with the allowed folders. Nothing here accesses the disk."""

import fnmatch
import ntpath
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from patchbay.domain.errors import Forbidden
from patchbay.integration.values import parameter_error

ALLOW_HINT = (
    "Ask an admin to allow its folder: Settings → Engine → Folders for files, or "
    "`patchbay engine settings --allow-folder FOLDER`."
)
OWN_PREFIX = ".patchbay-"
"""How the names of temporary files and of the trash folder begin. Steps don't see them."""
MAX_PATH_LENGTH = 4000
MAX_NAME_BYTES = 255
MAX_DEPTH = 64
_MAX_PATTERN_LENGTH = 200
_SHOWN = 200
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
"""Names that are devices on Windows, in every folder."""
_INVALID_ON_WINDOWS = re.compile(r'[<>:"|?*\x00-\x1f]|[. ]$')
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, also those that reverse the direction of text, which can hide an extension."""
# fmt: off
_SYSTEM_FOLDERS = (
    "/proc", "/sys", "/dev", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/boot",
    "/efi", "/nix", "/snap", "/run/user", "/run/systemd", "/run/lock", "/var/spool", "/var/log",
    "/var/run", "/var/lock", "/var/cache", "/var/lib/systemd", "/var/root", "/system", "/library",
    "/applications", "/cores", "/private/etc", "/private/var/root", "/private/var/db",
)
"""Folders of Linux and macOS whose files belong to the system, in lower case."""
_COMMON_FOLDERS = (
    "/root", "/run", "/run/media", "/var", "/var/lib", "/var/tmp", "/tmp", "/mnt", "/media",
    "/volumes", "/private", "/private/var", "/private/tmp",
)
"""Folders with files of many programs. Folders in them can be allowed."""
# fmt: on
_SYSTEM_FOLDERS_OF_WINDOWS = frozenset(
    (
        "windows",
        "program files",
        "program files (x86)",
        "programdata",
        "recovery",
        "system volume information",
    )
)
_HOMES = ("home", "users")
_ADMIN_SHARE = re.compile(r"\\\\[^\\]+\\(\w|admin|ipc|print)\$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AllowedPath:
    """A path below an allowed folder, or the folder itself if it has no parts."""

    root: str
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return os.path.join(self.root, *self.parts)

    @property
    def name(self) -> str:
        """The last part; empty for the allowed folder itself."""
        return self.parts[-1] if self.parts else ""

    @property
    def folder(self) -> "AllowedPath":
        """The folder that it is in."""
        return AllowedPath(self.root, self.parts[:-1])

    def child(self, *parts: str) -> "AllowedPath":
        """A path inside this folder."""
        return AllowedPath(self.root, (*self.parts, *parts))


def parse_path(
    text: str, allowed: Sequence[str], *, field: str, windows: bool = os.name == "nt"
) -> AllowedPath:
    """The path that was entered in a field.

    Raises `ValidationFailed` for anything but a full path, and `Forbidden` if no allowed folder contains it.
    """
    entered = text  # spaces and line breaks at its ends can be part of a name
    if problem := _find_problem(entered, windows):
        raise parameter_error(field, problem, "Enter a full path such as /srv/files/report.csv.")
    split = _split(entered, windows)
    if split is None:
        shown = entered[:_SHOWN]
        raise parameter_error(
            field,
            f"“{shown}” isn't a full path.",
            "Enter the path from the top, such as /srv/files/report.csv or C:\\Files\\report.csv.",
        )
    anchor, parts = split
    if any(map(is_reserved, parts)):
        raise parameter_error(field, f"Names that begin with {OWN_PREFIX} are reserved.")
    found: AllowedPath | None = None
    for root in allowed:
        if (rest := _rest_below(root, anchor, parts, windows)) is None:
            continue
        if found is None or len(rest) < len(found.parts):
            found = AllowedPath(root, rest)
    if found is None:
        raise not_allowed_error(entered, allowed)
    return found


def not_allowed_error(path: str, allowed: Sequence[str]) -> Forbidden:
    """The error for a path that no allowed folder contains."""
    which = "It's in none of the allowed folders." if allowed else "No folder is allowed here."
    return Forbidden(f"Steps can't use “{path[:_SHOWN]}”.", meaning=which, todo=ALLOW_HINT)


def find_folder_problem(folder: str, *, windows: bool = os.name == "nt") -> str:
    """Why a folder can't be allowed, as a sentence; empty if it can."""
    if problem := _find_problem(folder, windows):
        return problem
    if (split := _split(folder, windows)) is None:
        return f"“{folder[:_SHOWN]}” isn't a full path."
    drive, parts = split
    if not parts:
        return f"“{folder[:_SHOWN]}” is a whole disk. Allow a folder on it."
    reason = _find_protection(tuple(map(str.casefold, parts)), windows)
    if _ADMIN_SHARE.fullmatch(drive):
        reason = "is a share for administrators. Allow another folder."
    return reason and f"“{folder[:_SHOWN]}” {reason}"


def _find_protection(parts: tuple[str, ...], windows: bool) -> str:
    """Why a folder, in lower case, can't be allowed, as the rest of a sentence; empty if it can."""
    if any(part.startswith(".") for part in parts):
        return (
            "is hidden, or in a hidden folder, where programs keep settings and keys. Allow another folder."
        )
    if parts[0] in _HOMES and len(parts) <= 2:
        return "is a home folder, with settings and keys of its programs. Allow a folder in it."
    if not windows and "/" + "/".join(parts) in _COMMON_FOLDERS:
        return "has files of many programs. Allow a folder in it."
    return "belongs to the system. Allow another folder." if _belongs_to_system(parts, windows) else ""


def _belongs_to_system(parts: tuple[str, ...], windows: bool) -> bool:
    if windows:
        is_temporary = parts[2:5] == ("appdata", "local", "temp") and len(parts) > 5
        is_settings = parts[0] == "users" and parts[2] == "appdata" and not is_temporary
        return is_settings or parts[0] in _SYSTEM_FOLDERS_OF_WINDOWS or parts[0].startswith("$")
    path = "/" + "/".join(parts)
    return any(f"{path}/".startswith(f"{one}/") for one in _SYSTEM_FOLDERS)


def split_folder(folder: str, *, windows: bool = os.name == "nt") -> tuple[str, tuple[str, ...]]:
    """The top of the file system that an allowed folder is in, and the names from there."""
    drive, parts = _split(folder, windows) or ("", ())
    return f"{drive}{os.sep}", parts


def is_reserved(name: str) -> bool:
    """Whether a file is one of Patchbay's temporary ones, or the trash folder."""
    return name.casefold().startswith(OWN_PREFIX)


def require_new_name(path: AllowedPath, *, field: str) -> None:
    """Raise `ValidationFailed` for names that steps don't give to files and folders."""
    if any(map(_CONTROL.search, path.parts)):
        raise parameter_error(field, "New names can't contain line breaks or control characters.")


def _find_problem(text: str, windows: bool) -> str:
    """What makes a text unusable as a path; empty if nothing does."""
    if not text.strip():
        return "Enter a path."
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        return "The path has a character that can't be in a path."
    if len(text) > MAX_PATH_LENGTH:
        return f"The path is longer than {MAX_PATH_LENGTH:,} characters."
    parts = _parts(ntpath.splitdrive(text)[1] if windows else text, windows)
    if ".." in parts:
        return "The path can't contain “..”."
    if len(parts) > MAX_DEPTH or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        return "The path has too many folders, or a name that is too long."
    if windows and any(_INVALID_ON_WINDOWS.search(part) or _RESERVED.fullmatch(part) for part in parts):
        return "The path has a name that Windows doesn't allow for files."
    return ""


def _split(text: str, windows: bool) -> tuple[str, tuple[str, ...]] | None:
    """The drive and the names of a full path; None for any other text."""
    if not windows:
        return ("", _parts(text, windows)) if text.startswith("/") else None
    drive, rest = ntpath.splitdrive(text.replace("/", "\\"))
    is_device = drive.startswith(("\\\\?", "\\\\.")) or (drive.startswith("\\\\") and drive.count("\\") < 3)
    if is_device or not rest.startswith("\\"):
        return None
    return drive.casefold(), _parts(rest, windows)


def _parts(text: str, windows: bool) -> tuple[str, ...]:
    names = text.replace("\\", "/").split("/") if windows else text.split("/")
    return tuple(name for name in names if name not in ("", "."))


def _rest_below(root: str, anchor: str, parts: tuple[str, ...], windows: bool) -> tuple[str, ...] | None:
    """The part of a path below a folder; None if it isn't below."""
    if find_folder_problem(root, windows=windows) or (split := _split(root, windows)) is None:
        return None
    own = split[1]
    head = parts[: len(own)]
    is_same = tuple(map(str.casefold, head)) == tuple(map(str.casefold, own)) if windows else head == own
    return parts[len(own) :] if split[0] == anchor and is_same else None


class NamePattern:
    """Names such as `*.csv`; several are separated by commas. Upper and lower case are the same."""

    def __init__(self, text: str, *, field: str = "pattern") -> None:
        if len(text) > _MAX_PATTERN_LENGTH:
            raise parameter_error(field, f"The pattern is longer than {_MAX_PATTERN_LENGTH} characters.")
        found = [part for name in text.split(",") if (part := name.strip().casefold())]
        self._patterns = [re.compile(fnmatch.translate(part)) for part in found if part != "*"]
        self._is_any = len(self._patterns) < len(found) or not found

    def matches(self, name: str) -> bool:
        """Whether a file's name is one of these."""
        folded = name.casefold()
        return self._is_any or any(pattern.match(folded) for pattern in self._patterns)
