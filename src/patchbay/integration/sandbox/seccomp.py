"""A seccomp filter that blocks system calls which programs don't need but attackers use.

Bubblewrap reads it as a list of classic BPF instructions (`struct sock_filter`). It denies by name instead of
allowing by name, so that any interpreter works; the namespaces do the rest. Sources: `seccomp(2)`,
`linux/audit.h`, and the lists of Flatpak, systemd, and Docker.
"""

import struct
from collections.abc import Iterator
from errno import ENOSYS, EPERM

_LOAD = 0x20
_EQUAL = 0x15
_AT_LEAST = 0x35
_ANY_BIT = 0x45
_RETURN = 0x06
_AND = 0x54
_ALLOW = 0x7FFF_0000
_KILL_PROCESS = 0x8000_0000
_ERRNO = 0x0005_0000
_NUMBER = 0
_ARCHITECTURE = 4
_ARGUMENTS = 16
"""Offsets in `struct seccomp_data`. Both architectures are little-endian: the low half comes first."""

_X32_CALLS = 0x4000_0000
_ARCHITECTURES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""The kernel's constants (AUDIT_ARCH_…), and the column in the tables of numbers."""

_NAMESPACES = 0x7E02_0080
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, and NEWTIME."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI types into the terminal of others, and TIOCLINUX pastes into it."""
_SOCKET_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK. Others may reach outside the namespace, as AF_VSOCK does."""
_AF_UNIX = 1
_SOCKETPAIR_TYPES = tuple(kind | flags for kind in (1, 5) for flags in (0, 0x800, 0x8_0000, 0x8_0800))
"""SOCK_STREAM and SOCK_SEQPACKET, with SOCK_NONBLOCK and SOCK_CLOEXEC: such pairs can't connect elsewhere."""
_PERSONALITIES = (0, 0xFFFF_FFFF)
"""PER_LINUX, and the value that queries the current one."""

_CLONE = (56, 220)
_IOCTL = (16, 29)
_PERSONALITY = (135, 92)
_CLONE3 = 435
_SOCKET, _SOCKETPAIR = (41, 198), (53, 199)
_MMAP, _SETSOCKOPT = (9, 222), (54, 208)
_SHARED_ANONYMOUS = 0x21
"""MAP_SHARED and MAP_ANONYMOUS: such memory can stay allocated, uncounted, after it is unmapped.

The bit of MAP_SHARED is also in MAP_SHARED_VALIDATE, and not in MAP_PRIVATE."""
_SOCKET_LEVEL, _SOCKET_BUFFERS = 1, (7, 8, 32, 33)
"""SOL_SOCKET, and SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, and SO_RCVBUFFORCE of it."""

_DENIED = {
    # Other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    # File systems and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # Memory that outlives its mapping and that no limit counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    # Large or rarely tested parts of the kernel
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "set_mempolicy_home_node": (450, 450),
    "nfsservctl": (180, 42),
    # The computer as a whole
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
}
"""Numbers on x86_64 and on aarch64."""

_DENIED_ON_X86 = {
    "uselib": 134,
    "ustat": 136,
    "sysfs": 139,
    "modify_ldt": 154,
    "_sysctl": 156,
    "iopl": 172,
    "ioperm": 173,
    "create_module": 174,
    "get_kernel_syms": 177,
    "query_module": 178,
    "vserver": 236,
}


def supports_machine(machine: str) -> bool:
    """Whether the system calls of a machine, as `platform.machine()` names it, are known here."""
    return machine in _ARCHITECTURES


def seccomp_filter(machine: str, *, network: bool) -> bytes:
    """The filter for a machine that `supports_machine`.

    `network`: the program shares the network of the computer, and with it the abstract Unix sockets there
    (X11, D-Bus), so that it may not create Unix sockets that can be connected to them.
    """
    architecture, column = _ARCHITECTURES[machine]
    return b"".join(struct.pack("=HBBI", *step) for step in _instructions(architecture, column, network))


_Instruction = tuple[int, int, int, int]
"""Operation, instructions to skip when true, instructions to skip when false, and value."""


def _instructions(architecture: int, column: int, network: bool) -> Iterator[_Instruction]:
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _EQUAL, 1, 0, architecture
    yield _RETURN, 0, 0, _KILL_PROCESS  # a 32-bit call on a 64-bit system has other numbers
    yield _LOAD, 0, 0, _NUMBER
    if column == 0:
        yield from _deny_if(_AT_LEAST, _X32_CALLS, ENOSYS)
        for number in _DENIED_ON_X86.values():
            yield from _deny_if(_EQUAL, number, EPERM)
    for numbers in _DENIED.values():
        yield from _deny_if(_EQUAL, numbers[column], EPERM)
    # The flags of clone3 are in memory, where a filter can't look: libraries then fall back to clone.
    yield from _deny_if(_EQUAL, _CLONE3, ENOSYS)
    yield from _check_argument(_CLONE[column], 0, [*_deny_if(_ANY_BIT, _NAMESPACES, EPERM)])
    yield from _check_argument(_IOCTL[column], 1, [*_deny_if_any(_TERMINAL_INPUT)])
    families = tuple(family for family in _SOCKET_FAMILIES if not (network and family == _AF_UNIX))
    yield from _check_argument(_SOCKET[column], 0, [*_deny_unless_any(families)])
    if network:  # a datagram socket of a pair can send to any other address
        yield from _check_argument(_SOCKETPAIR[column], 1, [*_deny_unless_any(_SOCKETPAIR_TYPES)])
    yield from _check_argument(_PERSONALITY[column], 0, [*_deny_unless_any(_PERSONALITIES)])
    shared = [(_AND, 0, 0, _SHARED_ANONYMOUS), *_deny_if(_EQUAL, _SHARED_ANONYMOUS, EPERM)]
    yield from _check_argument(_MMAP[column], 3, shared)
    yield from _check_argument(_SETSOCKOPT[column], 1, [*_deny_larger_buffers()])
    yield _RETURN, 0, 0, _ALLOW


def _deny_larger_buffers() -> Iterator[_Instruction]:
    options = [(_LOAD, 0, 0, _ARGUMENTS + 8 * 2), *_deny_if_any(_SOCKET_BUFFERS)]
    yield _EQUAL, 0, len(options), _SOCKET_LEVEL
    yield from options


def _deny_if(test: int, value: int, error: int) -> Iterator[_Instruction]:
    yield test, 0, 1, value
    yield _RETURN, 0, 0, _ERRNO | error


def _deny_if_any(values: tuple[int, ...]) -> Iterator[_Instruction]:
    for value in values:
        yield from _deny_if(_EQUAL, value, EPERM)


def _deny_unless_any(values: tuple[int, ...]) -> Iterator[_Instruction]:
    for value in values:
        yield _EQUAL, 0, 1, value
        yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _ERRNO | EPERM


def _check_argument(call: int, argument: int, tests: list[_Instruction]) -> Iterator[_Instruction]:
    """Run these tests on an argument of this call; the next test finds the number of the call again."""
    yield _EQUAL, 0, len(tests) + 2, call
    yield _LOAD, 0, 0, _ARGUMENTS + 8 * argument
    yield from tests
    yield _RETURN, 0, 0, _ALLOW
