"""Steps made to freeze or exhaust the engine end with a result or a clear error; other work continues."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.app_calls import built_in_action, context
from tests.support.bombs.steps import STEPS, TRIGGER_ITEM, WITH_REFERENCES, Step, with_trigger
from tests.support.bounded import bounded
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.forms import in_forms, long_form
from tests.support.patience import PATIENCE
from tests.support.toy_apps import flow

from patchbay.apps.formatter import transform_action
from patchbay.domain.base import StepId
from patchbay.domain.errors import AppError, ComputationStopped, PayloadTooLarge
from patchbay.domain.executions import ExecutionState
from patchbay.domain.fields import parameters_with_references
from patchbay.domain.json_limits import size_of
from patchbay.engine.parameters import resolve_with_warnings
from patchbay.engine.runs import execution_cursor
from patchbay.engine.runs import runner as steps_of_runs
from patchbay.engine.runs.execution_cursor import MAX_OUTPUT_CHARACTERS
from patchbay.integration.context import ExitRun, Park
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.workers import Workers
from patchbay.storage import engine_store, run_transactions
from patchbay.storage.codec import decode_payload, encode_payload

LONGEST_STALL = 3.0
"""Seconds for which the loop may stand still on a busy machine; without a bound it was minutes."""
QUICK = [
    "pluralize: one long word and a digit",
    "HTML: tags that are never closed",
    "HTML: declarations",
    "replace: 40 KB by 40 KB",
    "replace: 30 KB by 30 KB",
    "pattern: 40 KB by 40 KB",
    "CSV: the same name",
    "XML: entities in entities",
    "XML: nested without end",
    "URL: brackets",
    "extract: a pattern that backtracks",
    "JSON: 5,000 digits",
    "JSON: many lists",
    "format number: 5,000 digits",
    "date: time zones one after the other",
    "date: the first day, further back",
    "filter: 9,000 conditions",
    "filter: a pattern that backtracks",
    "filter: 3,000 dates",
    "delay: the first day",
    "answer: lists without end",
    "mail: quotes in To",
    "mail: a long domain",
    "request: an address of brackets",
]


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    pool = Workers()
    yield pool
    await pool.close()


@pytest.mark.parametrize(
    "name",
    in_forms(
        QUICK,
        short=[
            "filter: a pattern that backtracks",
            "XML: entities in entities",
        ],
    ),
)
async def test_a_step_that_once_did_harm_ends(
    workers: Workers, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(transform_action, "SECONDS", 1.0)

    async with _never_standing_still():
        await _fire(STEPS[name], workers)


@pytest.mark.acceptance
@pytest.mark.timeout(1200)
def test_every_step_that_could_do_harm_ends() -> None:
    bounded(fire_alone, {name: (name,) for name in STEPS}, seconds=60)


@pytest.mark.parametrize(("length", "aside"), [(1_000, False), (1_000_000, True)])
async def test_large_values_are_read_counted_inserted_and_stored_beside_the_event_loop(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, length: int, aside: bool
) -> None:
    threads: dict[str, set[bool]] = {}

    def noting(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def noted(*given: object) -> Any:
            if name in ("insert", "count") or len(str(given[0])) >= 1_000:
                threads.setdefault(name, set()).add(threading.current_thread() is not threading.main_thread())
            return function(*given)

        return noted

    monkeypatch.setattr(steps_of_runs, "resolve_with_warnings", noting("insert", resolve_with_warnings))
    monkeypatch.setattr(run_transactions, "encode_payload", noting("store", encode_payload))
    monkeypatch.setattr(engine_store, "decode_payload", noting("read", decode_payload))
    monkeypatch.setattr(execution_cursor, "size_of", noting("count", size_of))
    await runtime.publish(flow("hook", ("echo", {"say": "{{step.f1-0.text}}"})))

    await runtime.engine.run_now(FLOW_1, {"text": "a" * length})

    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert threads.pop("count", {False}) == {aside}, "the size of a small one is known when it is stored"
    assert threads == {"insert": {aside}, "store": {aside}, "read": {aside}}


def test_parameters_made_of_large_values_are_refused_before_they_are_built() -> None:
    for name in WITH_REFERENCES:
        app_key, key, parameters = WITH_REFERENCES[name]
        assert parameters_with_references(
            built_in_action(app_key, key).arguments, with_trigger(parameters, "t")
        )

    found = bounded(
        resolve_alone, {name: (name,) for name in WITH_REFERENCES}, seconds=20, allowed=(PayloadTooLarge,)
    )

    for length, warnings in filter(None, found.values()):
        assert length < MAX_OUTPUT_CHARACTERS
        assert warnings < 100


@long_form
async def test_a_step_that_takes_too_long_says_so_and_is_not_repeated(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transform_action, "SECONDS", 0.01)
    app_key, key, parameters = STEPS["HTML: nested elements"]

    with pytest.raises(ComputationStopped) as stopped:
        await built_in_action(app_key, key).run(context(app_key, parameters, workers=workers))

    assert stopped.value.reason == "time"
    assert all((stopped.value.happened, stopped.value.meaning, stopped.value.todo))


async def test_small_inputs_of_linear_transforms_start_no_process(workers: Workers) -> None:
    parameters = {"transform": "lowercase", "input": "A" * 50_000}

    await built_in_action("formatter", "text").run(context("formatter", parameters, workers=workers))

    assert not workers.pids


async def test_a_run_whose_steps_put_out_too_much_fails_with_words(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution_cursor, "MAX_OUTPUT_CHARACTERS", 1_000)
    await runtime.publish(flow("hook", "echo", "echo"))

    await runtime.post(body={"text": "x" * 2_000})

    seen = await runtime.one()
    assert seen.state is ExecutionState.FAILURE
    assert "the output of its steps exceeds" in (seen.note or "")
    assert runtime.toy.calls == [""]


async def _fire(step: Step, workers: Workers) -> None:
    app_key, key, parameters = step
    http = HttpFactory(timeout=PATIENCE)
    data = {"host": "127.0.0.1", "port": "1", "security": "none"} if app_key == "smtp" else {}
    ctx = context(app_key, parameters, data=data, workers=workers, http_factory=http)
    said = "It ended."
    try:
        await asyncio.wait_for(built_in_action(app_key, key).run(ctx), 4 * PATIENCE)  # within CPU seconds
    except AppError as error:
        said = error.text()
    except (ExitRun, Park):
        pass
    finally:
        await http.aclose()
    assert 0 < len(said) < 2_000


@asynccontextmanager
async def _never_standing_still() -> AsyncIterator[None]:
    """Fails when the event loop was held up inside."""
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        while True:
            slept = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - slept)

    beating = asyncio.create_task(beat())
    yield
    await asyncio.sleep(0.02)  # one more beat, to see what the last moment did
    beating.cancel()
    assert longest < LONGEST_STALL


def fire_alone(name: str) -> None:
    """Run one of the steps, in a process that may use little memory."""

    async def fire() -> None:
        pool = Workers()
        try:
            async with _never_standing_still():
                await _fire(STEPS[name], pool)
        finally:
            await pool.close()

    asyncio.run(fire())


def resolve_alone(name: str) -> tuple[int, int]:
    """Return (characters of the resolved parameters, number of warnings). Raises `PayloadTooLarge`."""
    app_key, key, parameters = WITH_REFERENCES[name]
    arguments = built_in_action(app_key, key).arguments
    try:
        found, warnings = resolve_with_warnings(
            arguments, with_trigger(parameters, "t"), {StepId("t"): TRIGGER_ITEM}
        )
    except PayloadTooLarge as error:
        if not (error.happened and error.todo):
            raise AssertionError("the error doesn't say what to do") from error
        raise
    return sum(len(str(value)) for value in found.values()), len(warnings)
