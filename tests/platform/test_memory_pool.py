"""All threads of the window allocate from one pool of memory."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import ctypes, sys, threading
from patchbay.platform.process_limits import share_memory_pool

if sys.argv[2] == "shared":
    assert share_memory_pool()
together = threading.Barrier(4)
def allocate():
    kept = []
    for _ in range(20):
        kept.append(bytes(50_000))
        together.wait()
threads = [threading.Thread(target=allocate) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has a pool for each thread")
def test_threads_share_one_pool(tmp_path: Path):
    pools = {}
    for kind in ("shared", "own"):
        file = tmp_path / kind
        subprocess.run([sys.executable, "-c", PROGRAM, str(file), kind], check=True)
        pools[kind] = file.read_text().count("<heap nr=")

    assert pools["shared"] == 1 < pools["own"]
