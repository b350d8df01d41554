"""Restricts a process to the files in one folder, with Landlock of the Linux kernel."""

import ctypes
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_ALL_RIGHTS = (1 << 13) - 1
"""Those of the first version: to run, read, write, list, delete, and create."""
_WRITE, _READ, _LIST, _DELETE, _CREATE = 1 << 1, 1 << 2, 1 << 3, 1 << 5, 1 << 8


def confine_to(folder: int) -> bool:
    """Restrict this process to opening and creating files below an open folder, whatever their paths say.

    This can't be undone. Returns False where the system doesn't support it. The process must have given up
    gaining privileges (`no_new_privs`).
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None)
    handled = ctypes.create_string_buffer(struct.pack("=Q", _ALL_RIGHTS), 8)
    rules = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(8), 0)
    if rules < 0:
        return False
    allowed = struct.pack("=Qi", _WRITE | _READ | _LIST | _DELETE | _CREATE, folder)
    rule = ctypes.create_string_buffer(allowed, len(allowed))
    added = libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0)
    return bool(added == 0 and libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
