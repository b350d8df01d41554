"""Programs of one's own, run by real processes."""

import asyncio
import contextlib
import errno
import json
import os
import shutil
import sys
import tempfile
import time
from typing import Any

import pytest
from tests.support.app_calls import act, built_in_action
from tests.support.forms import long_form
from tests.support.processes import alive, until

from patchbay.apps.code import languages
from patchbay.domain.base import Json
from patchbay.domain.errors import AppError, NotSupported, TimedOut, ValidationFailed
from patchbay.integration import OnInterrupted
from patchbay.integration.sandbox import Sandbox

JS, PYTHON = "runJavascript", "runPython"
NODE = shutil.which("node")
both = pytest.mark.parametrize("action", [PYTHON, JS])
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of this kind are those of Linux")


@pytest.fixture
def unisolated():
    """A sandbox as on a computer without bubblewrap."""
    return Sandbox(search="")


async def run(
    action: str,
    code: str,
    inputs: dict[str, Any] | None = None,
    sandbox: Sandbox | None = None,
    **more: Json,
) -> dict:
    if action == JS and NODE is None:
        pytest.skip("Node.js is not installed")
    rows = [{"key": key, "value": value} for key, value in (inputs or {}).items()]
    values = {"codeSnippet": code, "inputs": rows, **more}
    return await act("code", action, values, sandbox=sandbox or Sandbox())


async def refused(action: str, code: str, **more: Any) -> AppError:
    with pytest.raises(AppError) as caught:
        await run(action, code, **more)
    return caught.value


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (PYTHON, "return inputs"),
        (PYTHON, "output = inputs"),
        (PYTHON, "import asyncio\nawait asyncio.sleep(0)\nreturn inputs"),
        (PYTHON, "async def work():\n    return inputs\nreturn work()"),
        (JS, "return inputs"),
        (JS, "await new Promise((done) => setTimeout(done, 1));\nreturn inputs // done"),
        (JS, "export const code = async (inputs) => {\n  return inputs;\n};"),
        (JS, "export default function (inputs) { return inputs; }"),
        (JS, "const code = async (inputs) => { \n  return inputs;\n};"),
        (JS, "async function code(inputs) {\n  return inputs;\n}\n// done"),
        (JS, "const help = (x) => x;\nvar code = function (given) { return help(given) }"),
        (JS, "const code = async (inputs) => inputs;\nreturn code(inputs);"),
    ],
)
async def test_values_go_in_and_what_is_returned_comes_out(action, code):
    values = {"text": "grün 🌱\u2028“x”", "list": [1, {"a": None}], "flag": True, "deep": {"ä": 0.5}}

    assert await run(action, code, values) == {"output": values, "logs": []}


async def test_rows_without_a_name_are_left_out_and_missing_ones_are_no_error():
    rows = [{"key": "", "value": "x"}, {"key": " a ", "value": "1"}, {"key": "a", "value": "2"}]

    assert await act("code", PYTHON, {"codeSnippet": "return inputs", "inputs": rows}) == {
        "output": {"a": "2"},
        "logs": [],
    }
    assert await act("code", PYTHON, {"codeSnippet": "pass"}) == {"output": None, "logs": []}


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (PYTHON, "import os, sys\nprint('one')\nos.write(1, b'two\\n')\nprint('three', file=sys.stderr)"),
        (JS, "console.log('one'); require('fs').writeSync(1, 'two\\n'); console.error('three')"),
    ],
)
async def test_printed_lines_are_logs_and_never_mix_with_the_result(action, code):
    assert await run(action, code) == {"output": None, "logs": ["one", "two", "three"]}


async def test_of_much_that_is_printed_the_first_lines_are_kept():
    done = await run(PYTHON, "for n in range(20_000): print(n, 'x' * 10)\nreturn 1")

    assert done["output"] == 1
    assert done["logs"][0] == "0 xxxxxxxxxx"
    assert "more bytes were printed" in done["logs"][-1]
    assert len(json.dumps(done["logs"])) < 100_000


@pytest.mark.parametrize(
    ("action", "code", "happened"),
    [
        (PYTHON, "x = 1\nif x\n  y", "syntax error in line 2: expected ':'."),
        (PYTHON, "x = 1\nreturn y", "stopped in line 2: NameError: name 'y' is not defined."),
        (PYTHON, "def f():\n    raise ValueError\n\nf()", "stopped in line 2: ValueError."),
        (PYTHON, "import sys\nsys.exit(3)", "stopped in line 2: SystemExit: 3."),
        (PYTHON, "import httpx", "No module named 'httpx'"),
        (PYTHON, "import os\nos._exit(4)", "exited (code 4) before returning a result."),
        (PYTHON, "return object()", "can't be converted to JSON: a value of the type object."),
        (PYTHON, "a = []\na.append(a)\nreturn a", "can't be converted to JSON: Circular reference"),
        (PYTHON, "return float('nan')", "can't be converted to JSON"),
        (JS, "const x = 1;\nconst x = 2;", "syntax error in line 2: Identifier 'x' has already"),
        (JS, "if (true) {\n", "syntax error in line 1: unexpected end of the program."),
        (JS, "const x = 1;\nreturn y;", "stopped in line 2: ReferenceError: y is not defined."),
        (JS, "\nthrow 'words'", "stopped: it threw words."),
        (JS, "export const code =\n  () => null.x;", "stopped in line 2: TypeError"),
        (JS, "export const other = 1;", "the export “code” is no function."),
        (
            JS,
            "setTimeout(() => { throw new Error('late') }, 1);\nawait new Promise(() => {})",
            "Error: late.",
        ),
        (JS, "await new Promise(() => {})", "is waiting for an event that never happens."),
        (JS, "process.exit(3)", "exited (code 3) before returning a result."),
        (JS, "return () => 1", "can't be converted to JSON: a value of the type function."),
        (JS, "return 1n", "can't be converted to JSON: Do not know how to serialize a BigInt."),
    ],
)
async def test_errors_of_a_program_are_reported_with_their_line(action, code, happened):
    error = await refused(action, code)

    assert isinstance(error, ValidationFailed)
    assert list(error.by_field) == ["codeSnippet"]
    assert happened in error.happened
    assert error.todo
    assert "Traceback" not in error.text()
    assert ".py" not in error.text()


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (JS, "const other = async (inputs) => {\n  return true;\n};"),
        (JS, "let n = 1;\nfunction other(inputs) { return true }"),
        (PYTHON, "async def other(inputs):\n    return True"),
        (PYTHON, "import math\ndef other(inputs): return math.pi"),
    ],
)
async def test_a_function_that_is_never_called_is_an_error(action, code):
    error = await refused(action, code)

    assert "but doesn't call it" in error.happened
    assert "return other(" in error.todo


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (JS, "console.log(1)"),
        (JS, "const code = async () => { console.log(1) };\nawait code();"),
        (JS, "const log = () => console.log(1);\nlog();"),
        (JS, "const code = () => { console.log(1) };"),
        (PYTHON, "def log():\n    print(1)\nlog()"),
        (PYTHON, "def log():\n    print(1)\nlist(map(lambda _: log(), [1]))"),
    ],
)
async def test_a_program_may_return_nothing(action, code):
    assert await run(action, code) == {"output": None, "logs": ["1"]}


@linux
async def test_a_result_that_is_not_json_is_reported():
    error = await refused(PYTHON, "import os\nos.write(3, b'garbage\\xff')\nreturn 1")

    assert "can't be read: other data was written" in error.happened


async def test_what_it_printed_last_is_reported_with_the_error():
    error = await refused(PYTHON, "print('looking at 7')\nreturn 1 / 0")

    assert error.meaning == "Printed last: “looking at 7”."


@pytest.mark.parametrize(
    ("action", "code", "output"),
    [
        (
            PYTHON,
            "import datetime\nreturn [datetime.date(2026, 1, 2), {3}, (4,), {5: 6}]",
            ["2026-01-02", [3], [4], {"5": 6}],
        ),
        (PYTHON, "return '\\ud800!'", "?!"),
        (JS, "return [new Date(0), undefined, '\\ud800!']", ["1970-01-01T00:00:00.000Z", None, "?!"]),
        (PYTHON, "import threading as t, time\nt.Thread(target=time.sleep, args=(60,)).start()\nreturn 1", 1),
        (JS, "setInterval(() => {}, 1000); return 1", 1),
    ],
)
async def test_what_is_no_plain_json_is_made_so_and_what_still_runs_is_ended(action, code, output):
    assert (await run(action, code))["output"] == output


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (PYTHON, "while True: pass"),
        (PYTHON, "import time\ntime.sleep(60)"),
        (JS, "for (;;) {}"),
        (JS, "await new Promise((done) => setTimeout(done, 60000))"),
    ],
)
async def test_a_program_is_stopped_when_its_time_is_over(action, code):
    error = await refused(action, code, timeLimit="1")

    assert isinstance(error, TimedOut)
    assert error.happened == "The program ran longer than its time limit (1 s) and was stopped."


@linux
@pytest.mark.parametrize(
    ("action", "code"),
    [
        (PYTHON, "kept = []\nwhile True: kept.append(bytearray(1 << 20))"),
        (PYTHON, "kept = []\nwhile True: kept.append([1])"),
        (PYTHON, "return 'x' * (200 << 20)"),
        (JS, "const kept = []; for (;;) kept.push(new Array(100000).fill(0.5))"),
        (JS, "const kept = []; for (;;) kept.push('x'.repeat(1000) + kept.length)"),
        (JS, "const kept = []; for (;;) kept.push(Buffer.alloc(1 << 24, 1))"),
    ],
)
async def test_a_program_is_stopped_when_it_needs_too_much_memory(action, code):
    error = await refused(action, code, memoryLimit="96")

    assert "needed more than 96 MB of memory" in error.happened


@both
async def test_too_much_output_ends_a_program(action):
    returned = {PYTHON: "return 'x' * 2_000_000", JS: "return 'x'.repeat(2000000)"}
    printed = {PYTHON: "while True: print('x' * 1000)", JS: "for (;;) console.log('x'.repeat(1000))"}

    assert "returned more than 1 MB" in (await refused(action, returned[action])).happened
    assert "printed more than 10 MB" in (await refused(action, printed[action])).happened


@linux
@pytest.mark.parametrize(
    ("action", "code"),
    [
        (
            PYTHON,
            "import os\nreturn [dict(os.environ), open('/proc/self/environ').read(), os.getcwd(),"
            " os.listdir(), sorted(os.listdir('/proc/self/fd'))]",
        ),
        (
            JS,
            "const fs = require('fs'); return [process.env, fs.readFileSync('/proc/self/environ', 'utf8'),"
            " process.cwd(), fs.readdirSync('.')]",
        ),
    ],
)
async def test_a_program_sees_nothing_of_our_environment_and_works_in_an_empty_folder(
    action, code, monkeypatch, tmp_path
):
    monkeypatch.setenv("OPENAI_API_KEY", "planted-secret")
    monkeypatch.setenv("PATCHBAY_PASSPHRASE", "planted-secret")
    with (tmp_path / "open").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        seen, raw, folder, files, *descriptors = (await run(action, code))["output"]

    assert set(seen) == {"HOME", "TMPDIR", "PATH", "LANG", "TZ"}
    assert "planted-secret" not in raw
    assert seen["HOME"] == folder
    assert files == []
    assert not os.path.exists(folder)  # noqa: ASYNC240
    assert descriptors in ([], [["0", "1", "2", "3", "4"]])


async def test_what_programs_of_a_killed_service_left_is_removed_a_day_later(
    unisolated, monkeypatch, tmp_path
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, days in (("patchbay-code-old", 2), ("patchbay-code-new", 0.5), ("of-others", 2)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "kept").write_text("values")
        os.utime(folder, (time.time() - days * 86_400,) * 2)

    await run(PYTHON, "return 1", sandbox=unisolated)

    assert {path.name for path in tmp_path.iterdir()} == {"patchbay-code-new", "of-others"}


@linux
@pytest.mark.parametrize("action", [PYTHON, JS])
async def test_neither_the_program_nor_its_values_stand_in_the_words_of_a_process(action):
    words = {
        PYTHON: "return open('/proc/self/cmdline').read()",
        JS: "return require('fs').readFileSync('/proc/self/cmdline', 'utf8')",
    }

    found = (await run(action, words[action], {"key": "planted-value"}))["output"]

    assert "planted-value" not in found
    assert "cmdline" not in found


FORKS = """
import os, time
started = []
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        while True:
            time.sleep(60)
    started.append(pid)
open(inputs["file"], "w").write(" ".join(map(str, started)))
"""


@linux
@pytest.mark.parametrize("end", ["time.sleep(60)", "raise ValueError('no more')", "return 1"])
async def test_what_a_program_started_ends_with_it(end, unisolated, tmp_path):
    file = tmp_path / "pids"

    with contextlib.suppress(AppError):
        await run(PYTHON, FORKS + end, {"file": str(file)}, unisolated, timeLimit="4")

    started = [int(word) for word in file.read_text("ascii").split()]
    assert len(started) == 20
    until(lambda: not any(map(alive, started)))


@long_form
@linux
async def test_a_process_that_multiplies_itself_is_ended_with_all_of_them(unisolated, tmp_path):
    file = tmp_path / "pids"
    code = (
        "import os, time\nlog = os.open(inputs['file'], os.O_CREAT | os.O_APPEND | os.O_WRONLY)\n"
        "for _ in range(6):\n    os.fork()\n    os.write(log, b'%d ' % os.getpid())\ntime.sleep(60)"
    )

    with pytest.raises(TimedOut):
        await run(PYTHON, code, {"file": str(file)}, unisolated, timeLimit="4")

    started = {int(word) for word in file.read_text("ascii").split()}
    assert len(started) == 64
    until(lambda: not any(map(alive, started)))


@linux
@both
async def test_cancelling_the_step_ends_the_process(action, unisolated, tmp_path):
    file = tmp_path / "pid"
    codes = {
        PYTHON: "import os, time\nopen(inputs['file'], 'w').write(str(os.getpid()))\ntime.sleep(60)",
        JS: "require('fs').writeFileSync(inputs.file, String(process.pid));"
        "await new Promise((done) => setTimeout(done, 60000))",
    }
    step = asyncio.create_task(run(action, codes[action], {"file": str(file)}, unisolated))
    pid = int(await asyncio.to_thread(until, lambda: file.exists() and file.read_text("ascii")))
    assert alive(pid)

    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step

    until(lambda: not alive(pid))


@linux
async def test_an_orphan_ends_by_itself(tmp_path):
    """If Patchbay is killed, nothing else stops its programs."""
    limits = "import resource, signal\nreturn [signal.alarm(9), resource.getrlimit(resource.RLIMIT_CPU)[0]]"

    seconds, cpu = (await run(PYTHON, limits, timeLimit="10"))["output"]

    assert 10 < seconds <= 15
    assert cpu == 30


async def test_javascript_without_node_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(languages, "_NODE_FOLDERS", ())

    with pytest.raises(NotSupported, match="which isn't installed") as caught:
        await act("code", JS, {"codeSnippet": "return 1"})

    assert caught.value.feature == "node"
    assert "nodejs.org" in caught.value.todo


@pytest.mark.parametrize("isolated", [True, False])
async def test_a_program_that_cannot_be_started_is_reported(isolated, unisolated, monkeypatch, tmp_path):
    sandbox = Sandbox() if isolated else unisolated
    await sandbox.prepare()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))

    with pytest.raises(AppError) as caught:
        await run(PYTHON, "return 1", sandbox=sandbox)

    in_sandbox = sandbox.isolation.isolates_programs
    what = (
        "The program wasn't run because its sandbox couldn't be started"
        if in_sandbox
        else "Couldn't start Python"
    )
    assert caught.value.happened.startswith(what)
    reason = "No such file or directory" if in_sandbox else os.strerror(errno.ENOENT)
    assert reason in caught.value.happened


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"codeSnippet": "  "}, "codeSnippet"),
        ({"codeSnippet": "pass", "timeLimit": "301"}, "timeLimit"),
        ({"codeSnippet": "pass", "timeLimit": "soon"}, "timeLimit"),
        ({"codeSnippet": "pass", "memoryLimit": "1.5"}, "memoryLimit"),
        ({"codeSnippet": "pass", "memoryLimit": "1"}, "memoryLimit"),
    ],
)
async def test_invalid_input_is_reported_at_its_field(parameters, field):
    with pytest.raises(ValidationFailed) as caught:
        await act("code", PYTHON, parameters)

    assert list(caught.value.by_field) == [field]


def test_a_program_is_repeated_after_a_crash_only_where_that_was_said():
    action = built_in_action("code", PYTHON)

    assert action.interruption_policy({}) is OnInterrupted.ASK
    assert action.interruption_policy({"mayRepeat": False}) is OnInterrupted.ASK
    assert action.interruption_policy({"mayRepeat": True}) is OnInterrupted.REPEAT
