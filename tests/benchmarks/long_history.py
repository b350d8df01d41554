"""Histories of finished executions with their steps and realistic payloads: up to a million, as a busy year
leaves them."""

import random
import time
from collections.abc import Iterator
from os import environ
from pathlib import Path

from tests.benchmarks.bench_engine import DATABASE, orders
from tests.benchmarks.data_folders import execution_id
from tests.benchmarks.load import BODY
from tests.support.engine_runtime import Shelf

from patchbay.domain.base import ExecutionId, Json
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.storage.bulk_load import PastExecution, PastStep, load_history
from patchbay.storage.codec import encode_payload
from patchbay.storage.database import Database

EXECUTIONS = int(environ.get("PATCHBAY_BENCH_LONG", "1000000"))
DAYS = 90
FLOWS = 40
FEW, MANY = 1_000, 100_000
SIZES = {"few": FEW, "many": MANY, "long": EXECUTIONS}
"""Executions of each history, by the name of its data folder."""

_BATCH = 10_000
_DAY = 86_400_000
_STATES = (ExecutionState.SUCCESS, ExecutionState.FAILURE, ExecutionState.FILTERED)
_WEIGHTS = (92, 5, 3)


async def make(place: Path) -> None:
    """A data folder for each of `SIZES`, and one without executions ("none")."""
    for name, count in {"none": 0, **SIZES}.items():
        (place / name).mkdir()
        shelf = await Shelf.open(place / name / DATABASE)
        versions = [_version(number) for number in range(1, FLOWS + 1)]
        for version in versions:
            await shelf.publish(version, 15, None)
        await fill(shelf.db, versions, BODY, count)
        await shelf.db.close()


def _version(number: int) -> FlowVersion:
    """The first is the one that is called; the others have steps of their own."""
    version = orders()
    if number == 1:
        return version
    steps = tuple(step.model_copy(update={"id": f"{step.id}-{number}"}) for step in version.steps)
    return version.model_copy(update={"flow_id": f"f{number}", "name": f"Orders {number}", "steps": steps})


async def fill(db: Database, versions: list[FlowVersion], body: Json, count: int = EXECUTIONS) -> None:
    """Store `count` executions of these flows over the 90 days that end a minute ago; one event in four is
    known by an id of its sender."""
    rng = random.Random(1)
    trigger_in = encode_payload({"path": "orders"})
    bodies = [
        encode_payload({"body": body, "headers": {"host": "localhost"}, "mark": mark}) for mark in range(50)
    ]
    small = [
        (encode_payload({"input": f"  Ada {mark} "}), encode_payload({"output": f"Ada {mark}"}))
        for mark in range(50)
    ]
    end = time.time_ns() // 1_000_000 - 60_000

    def past(number: int) -> tuple[PastExecution, list[PastStep]]:
        version = rng.choice(versions)
        at = end - (count - number) * DAYS * _DAY // count
        [state] = rng.choices(_STATES, _WEIGHTS)
        key = ExecutionId(execution_id(at, number, rng))
        run = PastExecution(
            id=key,
            flow_id=version.flow_id,
            flow_version=version.number,
            status=state,
            internal_id=f"delivery-{rng.getrandbits(64):016x}" if number % 4 == 0 else None,
            cursor=3,
            steps_done=3,
            steps_total=3,
            wake_at=None,
            test_run=False,
            note="The service rejected the request." if state is ExecutionState.FAILURE else None,
            created_at=at,
            updated_at=at + 9,
            started_at=at + 1,
            finished_at=at + 9,
        )
        taken = ((trigger_in, bodies[number % 50]), small[number % 50], small[(number + 7) % 50])
        steps = [
            PastStep(key, seq, 1, version.steps[seq].id, StepState.SUCCESS, *texts, None, at + seq, at + seq)
            for seq, texts in enumerate(taken)
        ]
        return run, steps

    for numbers in _some(count):
        made = [past(number) for number in numbers]
        await load_history(db, [run for run, _ in made], [step for _, steps in made for step in steps])


def _some(count: int) -> Iterator[range]:
    for start in range(0, count, _BATCH):
        yield range(start, min(count, start + _BATCH))
