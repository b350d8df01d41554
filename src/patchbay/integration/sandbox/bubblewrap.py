"""Builds the bubblewrap command line of an isolated program, and the files it refers to.

The program sees a read-only system, its own files, an empty folder in memory, and no other process.
`seccomp.py` blocks system calls, and `confine.py` limits resources.
"""

import errno
import os
import platform
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from patchbay.integration.sandbox.program import Program, confine_argv, python_files
from patchbay.integration.sandbox.seccomp import seccomp_filter

SANDBOX_FOLDER = "/tmp/program"
SANDBOX_FOLDER_MEGABYTES = 256
MEMORY_FILE_SYSTEMS = ("/tmp", "/dev/shm")  # names inside the sandbox
"""Writable folders in memory, `SANDBOX_FOLDER_MEGABYTES` each."""
_INNER_USER_ID = 1000
"""The user ID inside the sandbox that ours is mapped to."""
_UNUSED_USER_IDS = range(0x7000_0000, 0x7FFF_0000)
"""User IDs that no distribution and no service assigns; each run uses its own."""
_SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/ssl/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates/extracted",
    "/etc/crypto-policies",
)
_NETWORK_SETTINGS = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
)
_HIDDEN_INIT = ("--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1")
"""In a user namespace, process 1 has the program's user id: without this it could write to its memory, and so
keep the namespace from ending."""
_HOSTS = b"127.0.0.1 localhost\n::1 localhost\n"
_NSSWITCH = b"passwd: files\ngroup: files\nhosts: files dns\n"


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a process: its arguments and inherited file descriptors."""

    argv: Sequence[str]
    descriptors: tuple[int, ...] = ()
    isolated: bool = False
    started: int | None = None
    """The file `confine.py` writes to before it becomes the program, which can't reach it."""
    info_fd: int | None = None
    """The pipe from which to read the PID of process 1 of the namespace."""
    own_network: bool = False
    """Whether no other program is in the same network namespace."""

    def has_started(self) -> bool:
        """Whether the program was started. If not, the output is from bubblewrap, setpriv, or Python."""
        if self.started is None or sys.platform == "win32":
            return True
        return bool(os.pread(self.started, 1, 0))


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Starts programs with `bwrap`. The files and folders in `hidden` are never visible.

    `own_user`: Patchbay runs as root, so each program gets its own user ID; otherwise a user namespace.
    The kernel applies the limit on processes to that ID, but not to root.
    """

    path: str
    hidden: tuple[Path, ...]
    own_user: bool

    @contextmanager
    def launch(self, program: Program) -> Iterator[Launch]:
        """How to launch a program. Its file descriptors are open while the block runs."""
        with ExitStack() as stack:
            files = _MemoryFiles(stack)
            started = files.add(b"")
            info_fd, info_write_fd = files.pipe()
            user = secrets.choice(_UNUSED_USER_IDS) if self.own_user else _INNER_USER_ID
            options = [
                *_namespaces(program),
                *self._privileges(user),
                *self._file_system(program, files, user),
                "--seccomp",
                files.add(seccomp_filter(platform.machine(), network=program.network)),
                "--chdir",
                SANDBOX_FOLDER,
                "--info-fd",
                str(info_write_fd),
            ]
            # In a separate file: the program can read the command line of the process that started it.
            hidden = files.add("\0".join(options).encode() + b"\0")
            words = [self.path, "--args", hidden, "--", *self._change_user(user)]
            words += confine_argv(program, isolated=True, started=started)
            yield Launch(
                words,
                tuple(files.descriptors),
                isolated=True,
                started=int(started),
                info_fd=info_fd,
                own_network=not program.network,
            )

    def _privileges(self, user: int) -> list[str]:
        words = ["--new-session", "--die-with-parent", "--cap-drop", "ALL"]
        if not self.own_user:
            return [*words, "--unshare-user", "--uid", str(user), "--gid", str(user)]
        for needed in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # for `setpriv`, which drops them
            words += ["--cap-add", needed]
        return words

    def _change_user(self, user: int) -> list[str]:
        """The command that switches to the own user ID and drops the capabilities needed for that."""
        if not self.own_user:
            return []
        path = shutil.which("setpriv", path="/usr/bin:/bin") or "setpriv"
        return [
            path,
            "--reuid",
            str(user),
            "--regid",
            str(user),
            "--clear-groups",
            "--inh-caps=-all",
            "--ambient-caps=-all",
            "--bounding-set=-all",
            "--no-new-privs",
            "--",
        ]

    def _file_system(self, program: Program, files: "_MemoryFiles", user: int) -> list[str]:
        size = str(SANDBOX_FOLDER_MEGABYTES << 20)
        words = [
            "--perms", "1777", "--size", size, "--tmpfs", "/tmp", "--perms", "0777", "--dir", SANDBOX_FOLDER,
            "--proc", "/proc", *_HIDDEN_INIT, "--dev", "/dev", *_hide_dev_zero(files),
            "--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
        ]  # fmt: skip
        visible = [*map(Path, (*_SYSTEM_FOLDERS, *_SYSTEM_SETTINGS)), *python_files(), *program.readable]
        if program.script is not None:
            visible.append(program.script)
        if program.network:
            visible += map(Path, _NETWORK_SETTINGS)
        words += [*_mounts(visible, self.hidden, files), *_user_files(user, files)]
        if not program.network:
            words += files.bind_content(_HOSTS, "/etc/hosts")
        return [*words, "--remount-ro", "/"]


class _MemoryFiles:
    """Files in memory; bubblewrap reads each from a descriptor."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.descriptors: list[int] = []

    def add(self, content: bytes) -> str:
        if sys.platform != "linux":
            raise OSError(errno.ENOSYS, "Only Linux has files in memory")
        descriptor = os.memfd_create("patchbay")
        self._stack.callback(os.close, descriptor)
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        self.descriptors.append(descriptor)
        return str(descriptor)

    def pipe(self) -> tuple[int, int]:
        """A pipe: (read end for the parent, inherited write end)."""
        reading, writing = os.pipe()
        self._stack.callback(os.close, reading)
        self._stack.callback(os.close, writing)
        self.descriptors.append(writing)
        return reading, writing

    def bind_content(self, content: bytes, path: str) -> list[str]:
        """The arguments that mount a file with this content at `path`."""
        return ["--perms", "0644", "--ro-bind-data", self.add(content), path]


def _hide_dev_zero(files: _MemoryFiles) -> list[str]:
    """Replace /dev/zero by a file that can't be opened: memory shared by mapping it isn't counted."""
    return ["--perms", "0000", "--ro-bind-data", files.add(b""), "/dev/zero"]


def _namespaces(program: Program) -> list[str]:
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--hostname", "program"]
    return words if program.network else [*words, "--unshare-net"]


def _user_files(user: int, files: _MemoryFiles) -> list[str]:
    """Names for the user and group IDs, because some libraries look them up."""
    passwd = f"program:x:{user}:{user}:program:{SANDBOX_FOLDER}:/bin/false\n".encode()
    return [
        *files.bind_content(passwd, "/etc/passwd"),
        *files.bind_content(f"program:x:{user}:\n".encode(), "/etc/group"),
        *files.bind_content(_NSSWITCH, "/etc/nsswitch.conf"),
    ]


def _mounts(visible: Sequence[Path], hidden: Sequence[Path], files: _MemoryFiles) -> list[str]:
    """Show and hide these folders and files; inner ones override outer ones."""
    hidden_paths = {_resolve(path) for path in hidden}
    hidden_targets = {
        visible_path / hidden_path.relative_to(_resolve(visible_path)): hidden_path
        for visible_path in visible
        for hidden_path in hidden_paths
        if hidden_path.is_relative_to(_resolve(visible_path)) and hidden_path.exists()
    }
    words, final_options = list[str](), list[str]()
    for path in _parents(visible):  # bubblewrap creates those of private folders for their owner only
        words += ["--perms", "0755", "--dir", str(path)]
    for path in sorted({*visible, *hidden_targets}, key=_outer_first):
        if path not in hidden_targets:
            words += _bind_read_only(path)
        elif hidden_targets[path].is_dir():
            words += ["--size", "4096", "--tmpfs", str(path)]
            final_options += ["--remount-ro", str(path)]
        else:
            words += files.bind_content(b"", str(path))
    return words + final_options


def _parents(visible: Sequence[Path]) -> list[Path]:
    """The parent folders of these that aren't shown themselves, except the root."""
    found = {parent for path in visible for parent in path.parents[:-1]}
    return sorted(
        (parent for parent in found if not any(parent.is_relative_to(path) for path in visible)),
        key=_outer_first,
    )


def _outer_first(path: Path) -> tuple[int, Path]:
    return len(path.parts), path


def _bind_read_only(path: Path) -> list[str]:
    """Mount read-only at the same path. Links between system folders stay links."""
    with suppress(OSError):
        if path.is_symlink() and str(path) in _SYSTEM_FOLDERS:
            return ["--symlink", os.readlink(path), str(path)]
    return ["--ro-bind-try", str(path), str(path)]


def _resolve(path: Path) -> Path:
    with suppress(OSError):
        return path.resolve()
    return path
