"""Programs: only what an admin allows, with bounds, and with nothing of Patchbay's in its environment."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.support.app_calls import act
from tests.support.patience import PATIENCE
from tests.support.processes import sleeping, until

from patchbay.apps.programs.actions import MAX_FAILED_OUTPUT_BYTES
from patchbay.domain.errors import AppError, Forbidden, ValidationFailed
from patchbay.engine.step_errors import error_details
from patchbay.integration.allowed_programs import ProgramAccess, ProgramFailed
from patchbay.integration.local_files import FileAccess, LocalFiles
from patchbay.integration.masking import MASK, Masker, mask_error
from patchbay.integration.program_paths import find_program_problem
from patchbay.integration.sandbox.confine import descendants
from patchbay.integration.sandbox.processes import MAX_RESULT_BYTES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "bin" / "tool"


def write(script: Path, body: str) -> str:
    script.parent.mkdir(exist_ok=True)
    script.parent.chmod(0o755)
    script.write_text(f"#!{sys.executable} -I\nimport os, sys\n{body}\n", encoding="utf-8")
    script.chmod(0o755)
    return str(script)


async def run(
    shared: Path,
    program: str,
    *arguments: str,
    allowed: tuple[str, ...] = (),
    entered: dict[str, Any] | None = None,
    **more: Any,
) -> Any:
    files = FileAccess(LocalFiles(lambda: (str(shared),)))
    programs = ProgramAccess(lambda: allowed or (program,), files)
    rows = [{"value": one} for one in arguments]
    given = {"program": program, "arguments": rows, "folder": str(shared), **more}
    return await act(
        "programs", "runProgram", given, entered=entered, file_access=files, program_access=programs
    )


async def test_arguments_arrive_as_they_are_and_the_output_is_returned(shared, script):
    program = write(
        script, "print(sys.argv[1:], os.getcwd(), sys.stdin.read()); print('a warning', file=sys.stderr)"
    )
    arguments = ["a b", "$(id)", "; rm -rf /", "*", "'\"", "--flag=ü"]

    output = await run(shared, program, *arguments, stdin="given")

    assert output == {
        "exitCode": 0,
        "output": f"{arguments} {shared} given\n",
        "errors": "a warning\n",
        "errorsAreComplete": True,
    }


async def test_a_program_gets_a_minimal_environment(shared, script, monkeypatch):
    monkeypatch.setenv("PATCHBAY_PASSPHRASE", "hunter2")
    monkeypatch.setenv("LD_PRELOAD", "")
    program = write(script, "import json\nprint(json.dumps([*os.environ]))")

    output = await run(shared, program)

    names = {"HOME", "LANG", "LOGNAME", "PATH", "TZ", "USER"}
    assert set(json.loads(output["output"])) - {"LC_CTYPE"} == names


async def test_an_exit_code_fails_the_step_unless_it_continues(shared, script):
    program = write(script, "print('no such order', file=sys.stderr); sys.exit(3)")

    with pytest.raises(AppError, match="exit code 3") as caught:
        await run(shared, program)

    assert "no such order" in caught.value.meaning
    assert (await run(shared, program, onFailure="continue"))["exitCode"] == 3


async def test_what_a_program_started_ends_with_it(shared, script):
    mark = f"86{os.getpid()}"
    program = write(
        script,
        f"import subprocess\nsubprocess.Popen(['sleep', '{mark}'], start_new_session=True)\n"
        f"subprocess.Popen(['sleep', '{mark}'])",
    )

    await run(shared, program)

    until(lambda: not sleeping(mark))


@pytest.mark.parametrize("way", ["timeout", "cancelled"])
async def test_a_program_that_takes_too_long_is_stopped_with_what_it_started(shared, script, way):
    mark = f"{85 if way == 'timeout' else 84}{os.getpid()}"
    program = write(script, f"import subprocess\nsubprocess.run(['sleep', '{mark}'])")
    running = asyncio.create_task(run(shared, program, seconds="1" if way == "timeout" else "60"))

    if way == "cancelled":
        await asyncio.to_thread(until, lambda: sleeping(mark))
        running.cancel()
        await asyncio.wait({running})
    else:
        with pytest.raises(AppError, match="time limit"):
            await running

    until(lambda: not sleeping(mark))


async def test_a_program_that_is_cancelled_while_it_starts_is_stopped_with_what_it_started(shared, script):
    mark = f"83{os.getpid()}"
    program = write(script, f"import subprocess\nsubprocess.run(['sleep', '{mark}'])")
    others = descendants(os.getpid())
    running = asyncio.create_task(run(shared, program))
    for _ in range(1_000_000):
        if descendants(os.getpid()) != others:
            break
        await asyncio.sleep(0)
    until(lambda: sleeping(mark))  # on this thread: the loop can't connect the pipes meanwhile

    running.cancel()
    await asyncio.wait({running}, timeout=PATIENCE)

    assert running.cancelled()
    until(lambda: not sleeping(mark))


async def test_output_is_bounded(shared, script):
    program = write(script, f"sys.stdout.write('a' * {MAX_RESULT_BYTES + 1})")
    with pytest.raises(AppError, match="printed more than 1 MB"):
        await run(shared, program)

    program = write(script, "sys.stderr.write('b' * 100_000)")
    output = await run(shared, program)

    assert (len(output["errors"]), output["errorsAreComplete"]) == (65_536, False)


async def test_only_allowed_programs_are_run(shared, script, tmp_path):
    program = write(script, "print('ran')")
    other = write(tmp_path / "bin" / "other", "print('ran')")

    for wanted in (other, "tool", "./tool", f"{script.parent}/../bin/tool", f"{program} ", ""):
        with pytest.raises(Forbidden):
            await run(shared, wanted, allowed=(program,))


async def test_an_allowed_program_that_a_flow_could_replace_is_not_run(shared):
    inside = write(shared / "tool", "print('ran')")

    with pytest.raises(Forbidden, match="a flow could replace it"):
        await run(shared, inside)


async def test_the_working_folder_is_an_allowed_one(shared, script, tmp_path):
    program = write(script, "print(os.getcwd())")
    (shared / "link").symlink_to("/etc")

    for folder in (str(tmp_path), "/", f"{shared}/../..", f"{shared}/link", f"{shared}/missing"):
        with pytest.raises(AppError):
            await run(shared, program, folder=folder)


async def test_without_a_working_folder_it_gets_a_new_one_that_is_deleted(shared, script, tmp_path):
    body = "open('a', 'w').close()\nprint(os.getcwd(), os.listdir('.'), oct(os.stat('.').st_mode & 0o777))"
    program = write(script, body)

    outputs = [(await run(shared, program, folder=given))["output"].split() for given in ("", None)]

    for folder, *found in outputs:
        assert found == ["['a']", "0o700"]
        assert not folder.startswith(str(shared))
    assert not any(map(os.path.exists, (folder for folder, *_ in outputs)))
    with pytest.raises(AppError):
        await run(shared, program, folder="", entered={"folder": "{{step.1.folder}}"})


async def test_the_new_folder_is_not_one_whose_files_steps_can_change(shared, script, monkeypatch):
    program = write(script, "print('ran')")
    (shared / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(shared / "temporary"))

    with pytest.raises(Forbidden, match="temporary files"):
        await run(shared, program, folder="")


async def test_an_empty_value_keeps_the_place_of_the_others(shared, script):
    program = write(script, "print(sys.argv[1:])")
    rows = ["--label", "{{step.1.label}}", "", "--dry-run"]
    entered = {"arguments": [{"value": one} for one in rows]}

    output = await run(shared, program, "--label", "", "", "--dry-run", entered=entered)

    assert output["output"] == "['--label', '', '--dry-run']\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
async def test_a_program_gets_the_usual_signals(shared):
    output = await run(shared, "/usr/bin/grep", "-E", "^Sig(Ign|Blk):", "/proc/self/status")

    blocked, ignored = (int(line.split()[1], 16) for line in output["output"].splitlines())
    assert blocked == 0
    assert not ignored & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)


@pytest.mark.parametrize("arguments", [["a"] * 201, ["a" * 30_001], ["\0"]])
async def test_arguments_that_cannot_be_passed_are_rejected(shared, script, arguments):
    program = write(script, "print('ran')")

    with pytest.raises(ValidationFailed):
        await run(shared, program, *arguments)


def test_a_shell_cannot_be_allowed_under_any_name(tmp_path):
    link = tmp_path / "tool"
    link.symlink_to("/bin/sh")

    for path in ("/bin/sh", "/bin/bash", str(link)):
        assert "shell" in find_program_problem(path, ())


def test_what_is_no_program_cannot_be_allowed(tmp_path):
    document, open_to_all = tmp_path / "a.txt", tmp_path / "tool"
    document.write_text("", encoding="utf-8")
    document.chmod(0o644)
    open_to_all.write_text("", encoding="utf-8")
    open_to_all.chmod(0o777)

    for path, said in (
        ("tool", "full path"),
        ("/usr/bin/../bin/env", "full path"),
        ("/usr/bin/env\0", "full path"),
        ("//host/tool", "full path"),
        (str(tmp_path), "can be run"),
        (str(document), "can be run"),
        (str(tmp_path / "missing"), "no program"),
        (str(open_to_all), "Other users"),
        ("/" + "a" * 5000, "full path"),
    ):
        assert said in find_program_problem(path, ()), path


@pytest.mark.parametrize(
    "path",
    [
        "tool.exe",
        ".\\tool.exe",
        "C:tool.exe",
        "\\tool.exe",
        "C:\\tools\\..\\tool.exe",
        "\\\\host\\share\\tool.exe",
        "C:\\tools\\tool.bat",
        "C:\\tools\\tool.cmd",
        "C:\\tools\\tool",
        "C:\\Windows\\System32\\cmd.exe",
        "C:\\Windows\\System32\\PowerShell.EXE",
    ],
)
def test_on_windows_only_programs_with_a_full_path_can_be_allowed(path, monkeypatch):
    monkeypatch.setattr(os.path, "realpath", lambda one: one)

    problem = find_program_problem(path, (), windows=True)

    assert problem
    assert "no program" not in problem


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """A folder in which nobody else can change anything, with a program in `bin`."""
    folder = tmp_path / "guarded"
    folder.mkdir(mode=0o755)
    write(folder / "bin" / "tool", "print('ran')")
    return folder


@pytest.mark.parametrize("place", ["bin/tool", "bin", "."])
@pytest.mark.parametrize("mode", [0o775, 0o757])
async def test_a_program_that_others_can_replace_is_neither_allowed_nor_run(shared, guarded, place, mode):
    program = str(guarded / "bin" / "tool")
    assert find_program_problem(program, ()) == ""
    assert (await run(shared, program))["output"] == "ran\n"

    (guarded / place).chmod(mode)

    assert "Other users of the computer can change" in find_program_problem(program, ())
    with pytest.raises(Forbidden, match="Other users"):
        await run(shared, program)


async def test_links_are_followed_and_their_folders_checked(shared, guarded, tmp_path):
    between, link = guarded / "links" / "between", tmp_path / "link"
    between.parent.mkdir(mode=0o755)
    between.symlink_to("../bin/tool")
    link.symlink_to(between)
    assert (await run(shared, str(link)))["output"] == "ran\n"

    between.parent.chmod(0o777)
    assert "Other users" in find_program_problem(str(link), ())
    between.parent.chmod(0o1777)  # only the owner can replace the link
    assert find_program_problem(str(link), ()) == ""
    assert "a flow could replace it" in find_program_problem(str(link), (str(between.parent),))
    between.unlink()
    between.symlink_to(between)
    assert "no program" in find_program_problem(str(link), ())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("place", ["bin/tool", "bin"])
def test_a_program_of_another_user_is_not_allowed(guarded, place):
    os.chown(guarded / place, 65_534, 65_534)

    assert "belongs to another user" in find_program_problem(str(guarded / "bin" / "tool"), ())


@pytest.mark.parametrize("path", ["/proc/self/exe", "/proc/1/root/usr/bin/id", "/dev/fd/3", "/sys/tool"])
def test_paths_that_mean_something_else_in_each_process_are_not_allowed(path, tmp_path):
    link = tmp_path / "tool"
    link.symlink_to(path)

    for one in (path, str(link)):
        assert "leads through" in find_program_problem(one, ())


def test_a_path_that_cannot_be_read_is_an_error_in_words(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    link = tmp_path / "tool"
    link.symlink_to("/usr/bin/env")
    assert "no program" in find_program_problem("/usr/\ud800", ())

    monkeypatch.setattr(os, "readlink", refuse)

    assert "isn't allowed to look at" in find_program_problem(str(link), ())


async def test_what_a_failed_program_printed_is_kept_with_its_execution(shared, script):
    program = write(script, "print('half done'); print('no such file', file=sys.stderr); sys.exit(3)")
    with pytest.raises(AppError) as failed:
        await run(shared, program)

    kept = error_details(failed.value, "Programs · Run a program")

    assert kept["happened"] == "The program ended with the exit code 3."
    assert (kept["exitCode"], kept["output"], kept["errors"]) == (3, "half done\n", "no such file\n")
    assert kept["isComplete"] is True


async def test_only_the_end_of_it_is_kept(shared, script):
    body = "print('a' * 100_000 + 'end'); sys.stderr.write('b' * 200_000 + 'why'); sys.exit(1)"
    with pytest.raises(AppError) as failed:
        await run(shared, write(script, body))

    kept: dict[str, Any] = error_details(failed.value, "Programs · Run a program")

    assert len(kept["output"]) == len(kept["errors"]) == MAX_FAILED_OUTPUT_BYTES
    assert kept["output"].endswith("end\n")
    assert kept["errors"].endswith("why")
    assert kept["isComplete"] is False


async def test_what_a_stopped_program_printed_is_kept_too(shared, script):
    program = write(script, "print('working', flush=True); import time; time.sleep(60)")
    with pytest.raises(AppError) as failed:
        await run(shared, program, seconds="1")

    assert error_details(failed.value, "Programs · Run a program")["output"] == "working\n"


def test_secrets_in_what_a_failed_program_printed_are_masked():
    error = ProgramFailed("It failed.", output={"output": "key=hunter2-secret", "exitCode": 1})

    mask_error(error, Masker(["hunter2-secret"]))

    assert error.output == {"output": f"key={MASK}", "exitCode": 1}
