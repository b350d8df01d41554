"""What isolated programs may use, and that nothing of them stays. Each attack is run by a real program."""

import asyncio
import contextlib
import json
import os
import platform
import subprocess
import sys
import textwrap

import pytest
from tests.support.forms import in_forms
from tests.support.isolation import isolating, python, run_isolated, start_isolated
from tests.support.processes import alive, sleeping, until

from patchbay.domain.errors import AppError, TimedOut, ValidationFailed
from patchbay.integration.sandbox import Sandbox
from patchbay.integration.sandbox.processes import MeasuredProgram, PidNamespace, exceeds_memory

linux = pytest.mark.skipif(sys.platform != "linux", reason="programs are isolated on Linux only")
users = pytest.mark.parametrize("unprivileged", [False, True], ids=["this user", "without privileges"])


@pytest.fixture
async def sandbox(tmp_path):
    return await isolating([tmp_path])


@pytest.fixture
def unisolated():
    """A sandbox as on a computer without bubblewrap."""
    return Sandbox(search="")


DAEMON = """
    import os, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in range(3, 64):
                try:
                    os.close(descriptor)
                except OSError:
                    pass
            nothing = os.open("/dev/null", os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            os.execv("/bin/sleep", ["sleep", inputs["mark"]])
        os._exit(0)
    os.wait()
    while True:
        for name in os.listdir("/proc"):
            try:
                if inputs["mark"] in open(f"/proc/{name}/cmdline").read():
                    END
            except OSError:
                continue
        time.sleep(0.01)
"""


@linux
@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("end", ["return 1", "raise ValueError", "time.sleep(60)"])
async def test_a_daemon_ends_with_the_step(isolated, end, unisolated):
    sandbox = await isolating() if isolated else unisolated
    mark = f"3600.{os.getpid()}{len(end)}{int(isolated)}"

    with contextlib.suppress(AppError):
        await python(sandbox, DAEMON.replace("END", end), {"mark": mark}, timeLimit="2")

    until(lambda: not sleeping(mark))


@linux
@pytest.mark.parametrize("isolated", in_forms([True, False], short=[True]))
def test_everything_ends_when_patchbay_is_killed(isolated, tmp_path):
    mark = f"3601.{os.getpid()}{int(isolated)}"
    if isolated:
        asyncio.run(isolating())
    program = f"""
        import asyncio, sys
        from patchbay.integration.sandbox import Limits, Program, Sandbox
        words = ("/bin/sh", "-c", "/usr/bin/setsid /bin/sleep {mark} & /bin/sleep 3600")
        program = Program(command=words, limits=Limits(seconds=300))
        asyncio.run(Sandbox(search={None if isolated else ""!r}).run(program, b""))
    """
    engine = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], start_new_session=True)
    try:
        until(lambda: sleeping(mark), 30)
    finally:
        engine.kill()
        engine.wait()

    until(lambda: not sleeping(mark))


FORK_BOMB = """
    import os, time
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)
"""


async def test_a_fork_bomb_ends_with_the_step_and_leaves_others_alone(sandbox):
    def processes() -> int:
        return len([name for name in os.listdir("/proc") if name.isdigit()])

    before = processes()
    bomb = asyncio.create_task(python(sandbox, FORK_BOMB, timeLimit="2"))
    others, most = 0, 0
    while not bomb.done():
        assert await python(sandbox, "return 6 * 7", timeLimit="60") == 42
        others, most = others + 1, max(most, processes())
    with pytest.raises((TimedOut, ValidationFailed)):
        await bomb

    assert others >= 1
    assert most - before < 200
    until(lambda: processes() < before + 20)


@pytest.mark.parametrize(
    "memory", ["bytearray(100 << 20)", "mmap.mmap(-1, 100 << 20, flags=mmap.MAP_PRIVATE)"]
)
async def test_memory_is_bounded_for_all_processes_of_a_program_together(memory, sandbox):
    code = """
        import mmap, os, time
        for _ in range(16):
            if os.fork() == 0:
                kept = MEMORY
                for at in range(0, len(kept), 4096):
                    kept[at] = 1
                time.sleep(60)
        time.sleep(60)
    """

    with pytest.raises(ValidationFailed, match="needed more than 256 MB of memory"):
        await python(sandbox, code.replace("MEMORY", memory), timeLimit="60")


TAKE_OVER_INIT = """
    import os, time
    def survive():
        if os.fork() == 0:
            os.setsid()
            nothing = os.open("/dev/null", os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            os.closerange(3, 200)
            os.execv("/bin/sleep", ["sleep", inputs["mark"]])
    def replace():
        # prctl(PR_SET_PDEATHSIG, 0); write(4, {1}, 8); for (;;) pause();
        code = bytes.fromhex(
            "bf01000000b89d00000031f60f056a014889e6"
            "bf04000000ba08000000b8010000000f05b8220000000f05ebf7"
        )
        at = int(open("/proc/1/syscall").read().split()[-1], 16)
        memory = open("/proc/1/mem", "r+b", buffering=0)
        memory.seek(at)
        memory.write(code)
    survive()
    try:
        replace()
        said = "replaced"
    except OSError as error:
        said = error.strerror
    print(said, flush=True)
    if os.fork() == 0:  # an orphan that ends, so that wait() of process 1 returns into that code
        if os.fork() == 0:
            time.sleep(0.2)
            os._exit(0)
        os._exit(0)
    time.sleep(1)
"""


@linux
@pytest.mark.skipif(platform.machine() != "x86_64", reason="what it writes is code for x86_64")
@pytest.mark.parametrize("hidden", in_forms([True, False], short=[True]))
@users
def test_nothing_outlives_the_step_by_taking_over_process_1(unprivileged, hidden):
    mark = f"3602.{os.getpid()}{int(unprivileged)}{int(hidden)}"

    ended = run_isolated(unprivileged, TAKE_OVER_INIT, {"mark": mark}, hide_init=hidden)

    if hidden:
        assert ended["printed"] == "No such file or directory\n"
    until(lambda: not sleeping(mark))


@linux
@users
def test_everything_ends_with_a_killed_process_of_either_user(unprivileged):
    mark = f"3603.{os.getpid()}{int(unprivileged)}"
    code = """
        import subprocess, time
        subprocess.Popen(["/bin/sleep", inputs["mark"]], start_new_session=True)
        time.sleep(60)
    """
    run_isolated(unprivileged, "return 1")
    engine = start_isolated(unprivileged, code, {"mark": mark})
    try:
        until(lambda: sleeping(mark), 30)
    finally:
        engine.kill()
        engine.communicate()

    until(lambda: not sleeping(mark))


@linux
async def test_a_namespace_ends_though_bubblewrap_has_returned(sandbox):
    reading, writing = os.pipe()
    words = ["bwrap", "--unshare-pid", "--info-fd", str(writing), "--ro-bind", "/", "/", "--proc", "/proc"]
    words += ["--dev", "/dev"]  # without it the shell of a container may not open /dev/null
    namespace = PidNamespace(reading)
    shell = ["/bin/sh", "-c", "/bin/sleep 3600 >/dev/null 2>&1 &"]
    process = await asyncio.create_subprocess_exec(*words, *shell, pass_fds=[writing])
    os.close(writing)
    await process.wait()
    async with asyncio.timeout(10):
        while (init_pid := namespace.init_pid) is None:  # noqa: ASYNC110  it has no event
            await asyncio.sleep(0.01)
    assert alive(init_pid)

    namespace.end()

    os.close(reading)
    until(lambda: not alive(init_pid))


MEMORY_ATTACKS = {
    "shared memory that is given back": """
        import mmap
        memory = mmap.mmap.__mro__[1](-1, 400 << 20)  # what the kernel is asked for
        for start in range(0, 400 << 20, 20 << 20):
            for at in range(start, start + (20 << 20), 4096):
                memory[at] = 1
            memory.madvise(mmap.MADV_DONTNEED, start, 20 << 20)
        return len(memory)
    """,
    "shared memory of /dev/zero": """
        import mmap
        return len(mmap.mmap(open("/dev/zero", "r+b").fileno(), 400 << 20))
    """,
    "large buffers of sockets": """
        import socket
        kept = [end for _ in range(50) for end in socket.socketpair()]
        for end in kept:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        return len(kept)
    """,
    "larger buffers of sockets": """
        import socket
        socket.socket().setsockopt(socket.SOL_SOCKET, 32, 4 << 20)
    """,
    "many sockets": """
        import os, socket, time
        for _ in range(8):
            if os.fork() == 0:
                kept = [end for _ in range(100) for end in socket.socketpair()]
                for end in kept:
                    end.setblocking(False)
                    try:
                        while True:
                            end.send(bytes(65536))
                    except BlockingIOError:
                        pass
                time.sleep(60)
        time.sleep(60)
    """,
    "sockets that nobody has open": """
        import socket, time
        server = socket.socket(socket.AF_UNIX)
        server.bind("/tmp/server")
        server.listen(4096)
        for _ in range(1000):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect("/tmp/server")
                client.send(bytes(100_000))
        time.sleep(60)
    """,
    "a name that reads like a line": """
        import os, time
        open("/proc/self/comm", "wb", buffering=0).write(b"\\x0cRssAnon: x")
        for _ in range(8):
            if os.fork() == 0:
                kept = bytearray(40 << 20)
                for at in range(0, len(kept), 4096):
                    kept[at] = 1
                time.sleep(60)
        time.sleep(60)
    """,
    "empty files": """
        import os
        for number in range(1 << 30):
            os.close(os.open(f"/dev/shm/{number}", os.O_CREAT))
    """,
}
REFUSED = {name for name in MEMORY_ATTACKS if name.startswith(("shared", "large"))}


@linux
@pytest.mark.parametrize("attack", in_forms([*MEMORY_ATTACKS], short=["empty files"]))
@users
def test_memory_cannot_be_hidden_from_its_limit(attack, unprivileged):
    ended = run_isolated(unprivileged, MEMORY_ATTACKS[attack], seconds=50)

    if attack in REFUSED:
        assert "PermissionError" in json.loads(ended["result"])["failed"]["message"]
    else:
        assert ended["limit_exceeded"] == "memory"


async def test_limits_of_the_system_hold_inside(sandbox):
    code = """
        import resource as r
        names = ("NPROC", "NOFILE", "FSIZE", "CORE", "CPU", "DATA")
        return {name: r.getrlimit(getattr(r, "RLIMIT_" + name))[1] for name in names}
    """

    limits = {"NPROC": 64, "NOFILE": 256, "FSIZE": 64 << 20, "CORE": 0, "CPU": 30, "DATA": 128 << 20}
    assert await python(sandbox, code, timeLimit="10", memoryLimit="128") == limits


PAGE_TABLES = """
import ctypes, mmap, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
length = 64 << 30
start = libc.mmap(None, length, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)
for at in range(0, length, 2 << 20):
    ctypes.c_char.from_address(start + at).value
print("read", flush=True)
sys.stdin.read()
"""


@linux
def test_page_tables_count_as_memory():
    child = ["/bin/sh", "-c", '"$0" -c "$1"; exit', sys.executable, PAGE_TABLES]
    program = subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with program:
        assert program.stdout.readline() == "read\n"

        assert exceeds_memory(MeasuredProgram(program.pid), 100 << 20)

        program.communicate("")
