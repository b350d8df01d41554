"""Access lists of Windows: who can read a file or folder. File modes don't restrict anyone there.

Lists are read and written in SDDL, for example `D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;S-1-5-21-1-2-3-1001)`:
entries of kind, inheritance, rights, two object types, and who has them.
"""

import ctypes
import re
import sys
from collections.abc import Iterable
from ctypes import byref
from pathlib import Path
from typing import Any, Protocol

from patchbay.domain.errors import StorageFault

_ENTRY = re.compile(r"\((X?A|OA);([^;]*);([^;]*);[^;]*;[^;]*;([^;)]*)[^)]*\)")
"""An entry that allows something."""
_TRUSTED = ("SY", "BA", "LA", "CO", "OW", "S-1-5-18", "S-1-5-32-544", "S-1-3-0", "S-1-3-4")
"""The system, administrators, and the owner of the file. They can read every file anyway."""
_OWN_ACCESS = "D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
"""Protected: the folder inherits no entries. Files and folders in it inherit these."""


def others_with_access(sddl: str, user: str) -> tuple[str, ...]:
    """The users and groups, other than `user` and administrators, that an access list allows something."""
    _, found, entries = sddl.partition("D:")
    if not found or "NO_ACCESS_CONTROL" in entries:
        return ("WD",)  # without a list, everyone has access
    trustees = (match[4] for match in _ENTRY.finditer(entries))
    return tuple(dict.fromkeys(who for who in trustees if who not in (*_TRUSTED, user)))


class AccessLists(Protocol):
    """The access lists of this computer, for a user with a security identifier."""

    user: str

    def access_list(self, path: Path) -> str:
        """The access list of a file or folder."""
        ...

    def set_access_list(self, path: Path, sddl: str) -> None:
        """Replace the access list of a folder."""
        ...


def keep_private(folder: Path, *, own_files: Iterable[str] = ()) -> None:
    """Allow only this user and administrators to use a folder. Does nothing on systems with file modes.

    Raises `StorageFault` if others have access and that can't be changed, as on a drive with FAT, or must not
    be, because the folder has files, but none of the program's own.
    """
    if sys.platform == "win32":
        try:
            reason = _restrict(folder, Security(), own_files)
        except OSError as error:
            reason = error.strerror or str(error)
        if reason is not None:
            raise StorageFault(
                f"Other users of this computer may be able to read {folder}, and that couldn't be changed "
                f"({reason}).",
                meaning="Patchbay keeps data of your connections and executions there.",
                todo="Choose an empty folder on a drive with NTFS with --data-dir.",
            )


def is_private(file: Path) -> bool:
    """Whether only this user and administrators can use a file; True on systems with file modes."""
    if sys.platform == "win32":
        security = Security()
        return not others_with_access(security.access_list(file), security.user)
    return True


def _restrict(folder: Path, security: AccessLists, own_files: Iterable[str]) -> str | None:
    """Why others still have access; None if they don't."""
    if not others_with_access(security.access_list(folder), security.user):
        return None
    if any(folder.iterdir()) and not any((folder / name).exists() for name in own_files):
        return "it has files of other programs"
    security.set_access_list(folder, _OWN_ACCESS.format(user=security.user))
    remaining = others_with_access(security.access_list(folder), security.user)
    return "the drive has no access lists" if remaining else None


if sys.platform == "win32":
    _FILE_OBJECT, _DACL, _PROTECTED_DACL, _REVISION = 1, 0x4, 0x80000000, 1
    _TOKEN_QUERY, _TOKEN_USER = 0x8, 1

    class Security:
        """Reads and writes access lists. Raises `OSError` if the system rejects a call."""

        def __init__(self) -> None:
            self._api = ctypes.WinDLL("advapi32", use_last_error=True)
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            self._kernel.GetCurrentProcess.restype = ctypes.c_void_p
            self._kernel.LocalFree.argtypes = (ctypes.c_void_p,)
            self._kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
            self._api.OpenProcessToken.argtypes = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
            self.user = self._own_sid()

        def access_list(self, path: Path) -> str:
            """The access list of a file or folder in SDDL."""
            descriptor, text = ctypes.c_void_p(), ctypes.c_wchar_p()
            arguments = (str(path), _FILE_OBJECT, _DACL, None, None, None, None, byref(descriptor))
            _require_success(self._api.GetNamedSecurityInfoW(*arguments))
            try:
                convert = self._api.ConvertSecurityDescriptorToStringSecurityDescriptorW
                _require(convert(descriptor, _REVISION, _DACL, byref(text), None))
                return self._taken(text)
            finally:
                self._kernel.LocalFree(descriptor)

        def set_access_list(self, path: Path, sddl: str) -> None:
            """Replace the access list of a folder, and what its files inherit of it."""
            descriptor, acl = ctypes.c_void_p(), ctypes.c_void_p()
            present, defaulted = ctypes.c_int(), ctypes.c_int()
            convert = self._api.ConvertStringSecurityDescriptorToSecurityDescriptorW
            _require(convert(ctypes.c_wchar_p(sddl), _REVISION, byref(descriptor), None))
            try:
                read = self._api.GetSecurityDescriptorDacl
                _require(read(descriptor, byref(present), byref(acl), byref(defaulted)))
                kind = ctypes.c_uint32(_DACL | _PROTECTED_DACL)
                arguments = (ctypes.c_wchar_p(str(path)), _FILE_OBJECT, kind, None, None, acl, None)
                _require_success(self._api.SetNamedSecurityInfoW(*arguments))
            finally:
                self._kernel.LocalFree(descriptor)

        def _own_sid(self) -> str:
            token, size, text = ctypes.c_void_p(), ctypes.c_uint32(), ctypes.c_wchar_p()
            process = self._kernel.GetCurrentProcess()
            _require(self._api.OpenProcessToken(process, _TOKEN_QUERY, byref(token)))
            try:
                read = self._api.GetTokenInformation
                read(token, _TOKEN_USER, None, 0, byref(size))  # fails, and returns the size
                buffer = ctypes.create_string_buffer(size.value)
                _require(read(token, _TOKEN_USER, buffer, size, byref(size)))
                sid = ctypes.c_void_p.from_buffer(buffer)  # the structure begins with a pointer to it
                _require(self._api.ConvertSidToStringSidW(sid, byref(text)))
                return self._taken(text)
            finally:
                self._kernel.CloseHandle(token)

        def _taken(self, text: ctypes.c_wchar_p) -> str:
            """The text of a buffer of the system, which is freed."""
            value = text.value or ""
            self._kernel.LocalFree(ctypes.cast(text, ctypes.c_void_p))
            return value

    def _require(result: Any) -> None:
        if not result:
            raise ctypes.WinError(ctypes.get_last_error())

    def _require_success(code: int) -> None:
        """For functions that return the error."""
        if code:
            raise ctypes.WinError(code)
