"""What isolated programs try, and what keeps them from it. Each attack is run by a real program."""

import os
import platform
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.app_calls import act
from tests.support.isolation import isolating, python

from patchbay.domain.base import Json
from patchbay.domain.errors import NotSupported, TimedOut, ValidationFailed
from patchbay.integration.sandbox import Program, Sandbox
from patchbay.integration.sandbox.seccomp import seccomp_filter, supports_machine

PYTHON, JS = "runPython", "runJavascript"
linux = pytest.mark.skipif(sys.platform != "linux", reason="programs are isolated on Linux only")


@pytest.fixture
async def sandbox(tmp_path):
    """The folder of the test is private, as a data folder is."""
    return await isolating([tmp_path])


@pytest.fixture
def unisolated():
    """A sandbox as on a computer without bubblewrap."""
    return Sandbox(search="")


ATTEMPT = """
def attempt(what):
    try:
        return what()
    except OSError as error:
        return f"refused: {error.strerror}"
"""


async def attempts(sandbox: Sandbox, *expressions: str, network: bool = False, **inputs: Json) -> list[Any]:
    """What each of these expressions gives to a program, or why the system refused it."""
    calls = ", ".join(f"attempt(lambda: {each})" for each in expressions)
    code = f"import os, socket\n{ATTEMPT}\nreturn [{calls}]"
    return await python(sandbox, code, inputs, allowNetwork=network)


async def test_files_of_patchbay_of_the_user_and_of_the_system_are_out_of_reach(sandbox, tmp_path):
    (tmp_path / "vault.json").write_text("planted")
    (tmp_path / "passphrase").write_text("planted")

    found = await attempts(
        sandbox,
        "open(inputs['data'] + '/vault.json').read()",
        "open(inputs['data'] + '/passphrase').read()",
        "os.listdir(inputs['data'])",
        "os.listdir('/home')",
        "open('/etc/shadow').read()",
        "open('/etc/hostname').read()",
        "os.listdir('/var')",
        "os.listdir('/run')",
        "os.listdir(inputs['home'] + '/.config')",
        "os.listdir('/proc/1/root/var')",
        data=str(tmp_path),
        home=str(Path.home()),
    )

    missing = "refused: No such file or directory"
    assert set(found[:-1]) == {missing}
    assert str(found[-1]).startswith("refused: ")


async def test_a_data_folder_inside_what_programs_may_read_is_empty(tmp_path):
    readable, data = tmp_path / "runtime", tmp_path / "runtime" / "data"
    data.mkdir(parents=True)
    (data / "vault.json").write_text("planted")
    (readable / "key").write_text("planted")
    (readable / "library").write_text("of use")
    sandbox = await isolating([data, readable / "key"])
    words = f"cd {readable}; /bin/ls data; /bin/cat key library; /usr/bin/touch data/new new 2>/dev/null"
    program = Program(command=("/bin/sh", "-c", words), readable=(readable,), result_descriptor=False)

    ended = await sandbox.run(program, b"")

    assert ended.result == b"of use"
    assert sorted(os.listdir(readable)) == ["data", "key", "library"]


async def test_nothing_outside_its_own_folder_can_be_written(sandbox, tmp_path):
    places = ["/usr/planted", "/etc/planted", "/planted", "/dev/planted", "/proc/planted"]

    found = await attempts(sandbox, *(f"open({place!r}, 'w').write('x')" for place in places))
    inside = await attempts(sandbox, "open('own', 'w').write('x')", "open('/tmp/own', 'w').write('x')")

    assert all(str(each).startswith("refused: ") for each in found)
    assert inside == [1, 1]
    assert not [place for place in (*places, "/tmp/own") if os.path.exists(place)]  # noqa: ASYNC240


async def test_what_it_writes_is_bounded(sandbox):
    code = """
        import os
        written = 0
        try:
            for n in range(100):
                with open(f"file-{n}", "wb") as file:
                    for _ in range(16):
                        written += file.write(bytes(1 << 20))
        except OSError as error:
            return [written >> 20, error.strerror]
    """

    written, why = await python(sandbox, code)

    assert why == "No space left on device"
    assert written <= 256


async def test_no_other_process_can_be_seen(sandbox):
    engine = os.getpid()

    found, *reads = await attempts(
        sandbox,
        "sorted(int(name) for name in os.listdir('/proc') if name.isdigit())",
        f"open('/proc/{engine}/environ').read()",
        f"open('/proc/{engine}/mem').read()",
        f"os.kill({engine}, 0)",
        "open('/proc/1/mem', 'rb').read()",
    )

    assert len(found) <= 3  # bubblewrap and the program
    assert all(str(each).startswith("refused: ") for each in reads)


async def test_it_cannot_find_out_where_private_folders_are(sandbox, tmp_path):
    init, mounts = await python(
        sandbox, "import os\nreturn [os.listdir('/proc/1'), open('/proc/mounts').read()]"
    )

    assert init == []
    assert str(tmp_path) not in mounts


async def test_no_service_of_this_computer_answers(sandbox):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.socket(socket.AF_UNIX) as bus:
            bus.bind(f"\0patchbay-test-{os.getpid()}")
            bus.listen()
            found = await attempts(
                sandbox,
                f"socket.create_connection(('127.0.0.1', {port}), 2)",
                f"socket.socket(socket.AF_UNIX).connect('\\0patchbay-test-{os.getpid()}')",
                "socket.create_connection(('192.0.2.1', 80), 2)",
                "socket.socket(40, socket.SOCK_STREAM)",
                "socket.if_nameindex()",
            )

    assert found[:2] == ["refused: Connection refused"] * 2
    assert found[2] == "refused: Network is unreachable"
    assert found[3] == "refused: Operation not permitted"
    assert found[4] == [[1, "lo"]]


async def test_the_network_takes_the_step_and_an_admin(sandbox):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket\nreturn socket.create_connection(('127.0.0.1', {port}), 5).getpeername()[1]"

        with pytest.raises(NotSupported) as caught:
            await python(sandbox, code, allowNetwork=True)
        allowing = await isolating(may_use_network=lambda: True)
        asked = await python(allowing, code, allowNetwork=True)
        with pytest.raises(ValidationFailed):
            await python(allowing, code)

    assert caught.value.happened == "This program needs network access, which isn't allowed here."
    assert caught.value.meaning == "The program wasn't run."
    assert "patchbay engine settings --program-network yes" in caught.value.todo
    assert asked == port


async def test_the_network_opens_no_unix_socket_of_this_computer():
    name = f"\0patchbay-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as bus, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        bus.bind(name)
        bus.listen()
        log.bind(f"{name}-log")
        found = await attempts(
            await isolating(may_use_network=lambda: True),
            f"socket.socket(socket.AF_UNIX).connect({name!r})",
            f"socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', {name + '-log'!r})",
            f"socket.socketpair()[0].connect({name!r})",
            "[(pair := socket.socketpair())[0].send(b'x'), pair[1].recv(1) == b'x']",
            "socket.socket().fileno() > 0",
            network=True,
        )

    denied = "refused: Operation not permitted"
    assert found == [denied, denied, "refused: Transport endpoint is already connected", [1, True], True]


async def test_a_program_without_network_access_gets_an_error_that_says_how_to_allow_it(sandbox):
    with pytest.raises(ValidationFailed) as caught:
        await python(sandbox, "import socket\nsocket.create_connection(('192.0.2.1', 80))")

    assert caught.value.todo == SHUT_IN


SHUT_IN = (
    "Programs have no network access and can't see this computer's files. See Network access in this step."
)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (PYTHON, "from urllib.request import urlopen\nreturn urlopen('http://127.0.0.1:9/').read()"),
        (PYTHON, "return open('/srv/notes.txt').read()"),
        (PYTHON, "import os\nreturn os.listdir('/srv/notes')"),
        (JS, "return require('fs').readFileSync('/srv/notes.txt', 'utf8')"),
        (JS, "return await fetch('http://127.0.0.1:9/')"),
    ],
)
async def test_an_isolated_programs_error_says_why_the_system_refused_the_call(sandbox, language, code):
    with pytest.raises(ValidationFailed) as caught:
        await act("code", language, {"codeSnippet": code, "inputs": []}, sandbox=sandbox)

    assert caught.value.todo == SHUT_IN


async def test_other_errors_of_a_program_are_its_own(sandbox):
    with pytest.raises(ValidationFailed) as caught:
        await python(sandbox, "return 1 / 0")

    assert caught.value.todo == "Correct the program in this step."


SYSTEM_CALLS = {
    "ptrace": (101, 117, (0, 0, 0, 0)),
    "process_vm_readv": (310, 270, (1, 0, 0, 0, 0, 0)),
    "mount": (165, 40, (0, 0, 0, 0, 0)),
    "umount2": (166, 39, (0, 0)),
    "pivot_root": (155, 41, (0, 0)),
    "chroot": (161, 51, (0,)),
    "unshare": (272, 97, (0x1000_0000,)),
    "setns": (308, 268, (0, 0)),
    "clone with a user namespace": (56, 220, (0x1000_0011, 0, 0, 0, 0)),
    "keyctl": (250, 219, (0, -3, 0)),
    "add_key": (248, 217, (0, 0, 0, 0, 0)),
    "bpf": (321, 280, (0, 0, 0)),
    "userfaultfd": (323, 282, (0,)),
    "perf_event_open": (298, 241, (0, 0, 0, 0, 0)),
    "kexec_load": (246, 104, (0, 0, 0, 0)),
    "init_module": (175, 105, (0, 0, 0)),
    "open_by_handle_at": (304, 265, (0, 0, 0)),
    "io_uring_setup": (425, 425, (1, 0)),
    "acct": (163, 89, (0,)),
    "swapon": (167, 224, (0, 0)),
    "reboot": (169, 142, (0, 0, 0, 0)),
    "personality": (135, 92, (0x0040_0000,)),
    "TIOCSTI": (16, 29, (0, 0x5412, 0)),
    "TIOCLINUX": (16, 29, (0, 0x541C, 0)),
    "TIOCSTI with high bits": (16, 29, (0, 0x1_0000_5412, 0)),
    "memfd_create": (319, 279, (0, 0)),
    "shmget": (29, 194, (0, 4096, 0o1600)),
    "semget": (64, 190, (0, 1, 0o1600)),
    "msgget": (68, 186, (0, 0o1600)),
    "mount_setattr": (442, 442, (0, 0, 0, 0, 0)),
}
CALL = """
    import ctypes, errno
    call = ctypes.CDLL(None, use_errno=True).syscall
    found = {}
    for name, (number, arguments) in inputs["calls"].items():
        ctypes.set_errno(0)
        done = call(*map(ctypes.c_long, (number, *arguments)))
        found[name] = errno.errorcode[ctypes.get_errno()] if done == -1 else done
    return found
"""


@pytest.mark.skipif(
    not supports_machine(platform.machine()), reason="the numbers of the calls aren't known here"
)
async def test_dangerous_system_calls_are_denied(sandbox):
    column = 0 if platform.machine() == "x86_64" else 1
    calls: dict[str, Any] = {
        name: [(x86, arm)[column], list(arguments)] for name, (x86, arm, arguments) in SYSTEM_CALLS.items()
    }
    calls["clone3"] = [435, [0, 0]]
    if column == 0:
        calls["x32 getpid"] = [0x4000_0000 + 39, []]

    found = await python(sandbox, CALL, {"calls": calls})

    assert found.pop("clone3") == "ENOSYS"
    assert found.pop("x32 getpid", "ENOSYS") == "ENOSYS"
    assert found == dict.fromkeys(SYSTEM_CALLS, "EPERM")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have no 32-bit calls like these")
async def test_system_calls_of_another_architecture_end_the_program(sandbox):
    code = """
        import ctypes, mmap
        rights = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE, prot=rights)
        page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20; int 0x80; ret
        at = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return ctypes.CFUNCTYPE(ctypes.c_int)(at)()
    """

    with pytest.raises(ValidationFailed, match=r"terminated by the system \(signal 31\)"):
        await python(sandbox, code)


@pytest.mark.parametrize("network", [True, False])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_a_program_the_kernel_can_take(machine, network):
    steps = seccomp_filter(machine, network=network)

    assert len(steps) % 8 == 0
    assert 8 * 60 < len(steps) < 8 * 4096


async def test_it_has_no_privileges_and_no_way_to_get_any(sandbox):
    lines = (await python(sandbox, "return open('/proc/self/status').read()")).splitlines()
    status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    assert "0" not in status["Uid"].split()


async def test_every_namespace_is_its_own(sandbox):
    kinds = ["mnt", "pid", "ipc", "uts", "net", "cgroup"]

    found = await attempts(sandbox, *(f"os.readlink('/proc/self/ns/{kind}')" for kind in kinds))

    outside = [os.readlink(f"/proc/self/ns/{kind}") for kind in kinds]
    assert [ours for ours, its in zip(outside, found, strict=True) if ours == its] == []


async def test_other_programs_can_use_the_same_sandbox(sandbox, tmp_path):
    words = 'read line; echo "$line, $(/usr/bin/id -un)"; /bin/ls $HOME; echo said >&2'
    program = Program(command=("/bin/sh", "-c", words), result_descriptor=False)

    ended = await sandbox.run(program, b"hello\n")

    assert (ended.code, ended.result, ended.printed) == (0, b"hello, program\n", b"said\n")


async def test_javascript_is_isolated_too(sandbox, tmp_path):
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    (tmp_path / "vault.json").write_text("planted")
    code = """
        const fs = require('fs'), tries = {
          data: () => fs.readFileSync(inputs.data + '/vault.json', 'utf8'),
          engine: () => fs.readFileSync(`/proc/${inputs.engine}/environ`, 'utf8'),
          write: () => fs.writeFileSync('/usr/planted', 'x'),
        };
        const found = {};
        for (const [name, go] of Object.entries(tries)) {
          try { found[name] = go(); } catch (error) { found[name] = error.code; }
        }
        found.fetch = await fetch('http://192.0.2.1/').catch((error) => error.cause.code);
        return found;
    """
    inputs = [{"key": "data", "value": str(tmp_path)}, {"key": "engine", "value": str(os.getpid())}]

    done = await act("code", JS, {"codeSnippet": code, "inputs": inputs}, sandbox=sandbox)

    assert done["output"] == {"data": "ENOENT", "engine": "ENOENT", "write": "EROFS", "fetch": "ENETUNREACH"}


async def test_without_isolation_programs_run_within_their_limits(unisolated):
    assert await python(unisolated, "return inputs", {"a": 1}) == {"a": 1}
    assert not unisolated.isolation.isolates_programs
    with pytest.raises(TimedOut):
        await python(unisolated, "while True: pass", timeLimit="1")
    with pytest.raises(NotSupported):
        await python(unisolated, "return 1", allowNetwork=True)


@pytest.mark.parametrize("line", ["x" * 500_000, -1, True, ["x"]])
async def test_a_replaced_line_is_not_reported(line, sandbox):
    code = """
        import json, os
        failed = {"kind": "raised", "line": inputs["line"], "message": "y" * 500_000}
        with os.fdopen(3, "w") as result:
            result.write(json.dumps({"failed": failed}))
        os._exit(0)
    """
    with pytest.raises(ValidationFailed) as caught:
        await python(sandbox, code, {"line": line})

    assert len(str(caught.value)) < 3000
    assert caught.value.happened.startswith("The program stopped: yyy")


@pytest.mark.parametrize("levels", [201, 900])
async def test_output_nested_too_deeply_is_reported(levels, sandbox):
    code = """
        found = 1
        for _ in range(LEVELS):
            found = [found]
        return found
    """
    with pytest.raises(ValidationFailed, match="nested more than 200 levels deep"):
        await python(sandbox, code.replace("LEVELS", str(levels)))

    assert await python(sandbox, code.replace("LEVELS", "200"))


async def test_memory_shared_with_child_processes_works(sandbox):
    code = """
        import mmap, multiprocessing, os
        shared = mmap.mmap(-1, 1 << 20)
        if os.fork() == 0:
            shared[5] = 9
            os._exit(0)
        os.wait()
        fork = multiprocessing.get_context("fork")
        number = fork.Value("i", 0)
        def work():
            number.value = 7
        child = fork.Process(target=work)
        child.start()
        child.join()
        return [len(shared), shared[5], shared[6], number.value]
    """

    assert await python(sandbox, code) == [1 << 20, 9, 0, 7]
