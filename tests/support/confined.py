"""What a process that is restricted to a folder can still open. Runs in worker processes."""

import ctypes
import os
from collections.abc import Sequence
from contextlib import suppress

from patchbay.domain.base import JsonObject
from patchbay.integration.local_files import AllowedPath, LocalFiles


def try_to_open(root: str, parts: Sequence[str], own_folders: Sequence[str], *paths: str) -> JsonObject:
    """Which of these paths can be opened, and whether the system can prevent that (Landlock)."""
    is_supported = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) > 0
    opened = []
    with LocalFiles(lambda: (root,)).confined(AllowedPath(root, tuple(parts)), (), space=None):
        for path in paths:
            with suppress(OSError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT))
                opened.append(path)
    return {"isSupported": is_supported, "opened": opened}
