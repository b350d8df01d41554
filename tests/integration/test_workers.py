"""Worker processes: what they compute, and how they are stopped."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support import worker_functions as functions
from tests.support.forms import in_forms, long_form
from tests.support.patience import PATIENCE
from tests.support.processes import alive

from patchbay.domain.errors import ComputationStopped, NotSupported, ValidationFailed
from patchbay.integration import workers as worker_processes
from patchbay.integration.app_definition import App
from patchbay.integration.context import Context
from patchbay.integration.workers import WorkerFunctionError, WorkerLimits, Workers

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and /proc-like process ids")


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    pool = Workers(max_processes=2)
    yield pool
    await pool.close()


@pytest.mark.parametrize(
    "value",
    in_forms(
        [None, 7, 1.5, "text", "\ud800", [1, {"a": None}], {"ä": ["€"]}, "x" * 300_000],
        short=["\ud800", "x" * 300_000],
    ),
)
async def test_values_arrive_and_come_back(workers: Workers, value: Any) -> None:
    assert await workers.run(functions.echo, value) == value


async def test_bytes_arrive_and_come_back(workers: Workers) -> None:
    assert await workers.run(functions.doubled, b"\x00\xff" * 50_000) == b"\x00\xff" * 100_000


@pytest.mark.parametrize(
    ("function", "arguments", "limits", "reason"),
    [
        (functions.spin, (), WorkerLimits(seconds=0.5), "time"),
        pytest.param(functions.pause, (60,), WorkerLimits(seconds=0.5), "time", marks=long_form),
        (functions.eat_memory, (), WorkerLimits(megabytes=64), "memory"),
        pytest.param(
            functions.long_text, (100_000,), WorkerLimits(output_bytes=99_999), "output", marks=long_form
        ),
        pytest.param(functions.many_lists, (1_100_000,), WorkerLimits(), "output", marks=long_form),
        (functions.crash, (), WorkerLimits(), "crash"),
    ],
    ids=["busy", "sleeping", "memory", "output", "values", "crash"],
)
async def test_a_call_that_exceeds_a_limit_fails_and_the_next_one_works(
    workers: Workers,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    limits: WorkerLimits,
    reason: str,
) -> None:
    if reason == "memory" and sys.platform == "darwin":
        return  # macOS has no limit on the memory of a process
    with pytest.raises(ComputationStopped) as stopped:
        await workers.run(function, *arguments, limits=limits)

    assert stopped.value.reason == reason
    assert all((stopped.value.happened, stopped.value.meaning, stopped.value.todo))
    assert await workers.run(functions.echo, "next") == "next"


@long_form
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process is doing")
async def test_waiting_for_a_busy_processor_does_not_count(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As beside programs that take all of the processor: the call computes, and gets nowhere."""
    monkeypatch.setattr(worker_processes, "_processor_use", lambda pid: (0.0, True))

    assert await workers.run(functions.pause, 1.5, limits=WorkerLimits(seconds=0.5))
    with pytest.raises(ComputationStopped):
        await workers.run(functions.pause, 60, limits=WorkerLimits(seconds=0.1))


DEEP = 200_000


MALFORMED_REPLIES = {
    "text": ("no json", ""),
    "list": ("[]", ""),
    "empty": ("{}", ""),
    "deep head": ("[" * DEEP, ""),
    "no values": ('{"retire": false, "several": false}', ""),
    "no value": ('{"retire": false, "several": false, "values": []}', ""),
    "bad value": ('{"retire": false, "several": false, "values": [["json", 1]]}', "["),
    "deep value": (f'{{"retire": false, "several": false, "values": [["json", {DEEP}]]}}', "[" * DEEP),
    "bad error": ('{"retire": false, "failed": "error", "error": {}}', ""),
    "bad places": ('{"retire": false, "failed": "error", "places": [7]}', ""),
}
"""By what is wrong: the head and the body."""


@on_posix
@pytest.mark.parametrize(
    "reply",
    in_forms([*MALFORMED_REPLIES], short=["text", "bad value"]),
)
async def test_a_malformed_reply_counts_as_a_crash(workers: Workers, reply: str) -> None:
    head, body = MALFORMED_REPLIES[reply]
    pid = await workers.run(functions.own_pid)

    with pytest.raises(ComputationStopped) as stopped:
        await workers.run(functions.forge_reply, [len(head), len(body)], head, body, 0)

    assert stopped.value.reason == "crash"
    await _gone(pid)
    assert await workers.run(functions.echo, "next") == "next"


@on_posix
async def test_a_process_that_writes_more_than_its_reply_is_killed(workers: Workers) -> None:
    pid = await workers.run(functions.own_pid)
    head = '{"retire": false, "several": false, "values": [["json", 1]]}'
    long = WorkerLimits(seconds=600)

    forged: Any = await workers.run(functions.forge_reply, [len(head), 1], head, "7", 64 << 20, limits=long)

    assert forged == 7

    await _gone(pid)


async def test_an_error_for_people_arrives_as_it_was_raised(workers: Workers) -> None:
    with pytest.raises(ValidationFailed) as refused:
        await workers.run(functions.refuse)

    assert (refused.value.happened, refused.value.todo) == ("Not this.", "Something else.")
    assert refused.value.by_field == {"input": ["Not this."]}


async def test_any_other_error_names_its_type_and_place_but_not_its_text(
    workers: Workers, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(WorkerFunctionError, match="KeyError"):
        await workers.run(functions.fail)

    assert "worker_functions.py" in caplog.text
    assert "secret value" not in caplog.text


async def test_only_functions_of_a_module_can_be_called(workers: Workers) -> None:
    with pytest.raises(TypeError, match="only module-level functions"):
        await workers.run(lambda: None)


async def test_what_a_function_prints_does_not_disturb_the_conversation(workers: Workers) -> None:
    assert await workers.run(functions.chatter) == "done"


@long_form
async def test_a_process_is_used_again_however_large_its_parent_is(workers: Workers) -> None:
    much = b"\1" * (300 << 20)

    first = await workers.run(functions.own_pid)
    del much

    assert await workers.run(functions.own_pid) == first != os.getpid()


async def test_an_idle_process_ends() -> None:
    workers = Workers(idle_seconds=0.05)
    pid = await workers.run(functions.own_pid)

    await _gone(pid)

    assert await workers.run(functions.own_pid) != pid
    await workers.close()


async def test_a_worker_has_no_environment_and_no_window(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATCHBAY_PASSPHRASE", "secret")

    assert "PATCHBAY_PASSPHRASE" not in await workers.run(functions.environment)
    assert not await workers.run(functions.imported, "PySide6")
    assert not await workers.run(functions.imported, "sqlalchemy")


@on_posix
async def test_a_worker_writes_no_files(workers: Workers, tmp_path: Path) -> None:
    assert await workers.run(functions.write_file, str(tmp_path / "file")) == "refused"


async def test_cancelling_kills_the_process(workers: Workers) -> None:
    pid = await workers.run(functions.own_pid)
    call = asyncio.create_task(workers.run(functions.spin, limits=WorkerLimits(seconds=600)))
    await asyncio.sleep(0)  # let it take the idle process

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    await _gone(pid)


async def test_one_owner_never_takes_all_processes() -> None:
    workers = Workers(max_processes=2)
    long = WorkerLimits(seconds=600)
    greedy = [
        asyncio.create_task(workers.run(functions.spin, limits=long, owner="greedy")) for _ in range(10)
    ]
    await asyncio.sleep(0)

    assert await asyncio.wait_for(workers.run(functions.echo, "modest", owner="modest"), PATIENCE) == "modest"

    for call in greedy:
        call.cancel()
    await asyncio.gather(*greedy, return_exceptions=True)
    await workers.close()


async def test_owners_take_turns() -> None:
    workers, done = Workers(max_processes=1), list[str]()

    async def call(owner: str) -> None:
        await workers.run(functions.echo, owner, owner=owner)
        done.append(owner)

    await asyncio.gather(*[call(owner) for owner in "aaaab"])

    assert done.index("b") <= 2
    await workers.close()


async def test_a_cancelled_call_gives_its_turn_to_the_next() -> None:
    workers = Workers(max_processes=1)
    running = asyncio.create_task(workers.run(functions.spin, limits=WorkerLimits(seconds=600)))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(workers.run(functions.echo, 1))
    last = asyncio.create_task(workers.run(functions.echo, 2))
    await asyncio.sleep(0)

    waiting.cancel()
    running.cancel()

    assert await asyncio.wait_for(last, PATIENCE) == 2
    await workers.close()


@on_posix
async def test_a_busy_worker_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    program = (
        "import asyncio\n"
        "from tests.support import worker_functions as functions\n"
        "from patchbay.integration.workers import Workers, WorkerLimits\n"
        "async def main():\n"
        "    workers = Workers()\n"
        "    print(await workers.run(functions.own_pid), flush=True)\n"
        "    await workers.run(functions.spin, limits=WorkerLimits(seconds=20))\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=root, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())

    parent.send_signal(signal.SIGKILL)
    await parent.wait()

    await _gone(pid)


async def test_app_code_computes_through_its_context(workers: Workers) -> None:
    ctx: Any = Context(app=App(name="Toy", key="toy"), workers=workers)

    assert await ctx.compute(functions.echo, {"a": 1}, seconds=5) == {"a": 1}


async def test_a_context_without_workers_says_so() -> None:
    with pytest.raises(NotSupported, match="worker"):
        await Context(app=App(name="Toy", key="toy")).compute(functions.echo, 1)


async def _gone(pid: int) -> None:
    """Wait until there is no process with this id, or only its remains."""
    ends = time.monotonic() + PATIENCE
    while alive(pid):
        assert time.monotonic() < ends, "the worker is still there"
        await asyncio.sleep(0.02)
