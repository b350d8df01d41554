"""A trigger that was pointed at another source: its app sees its ids as they are there, and no others."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import select
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow, too_many

from patchbay.integration import Context
from patchbay.storage import codec
from patchbay.storage.tables import execution, seen_event

QUARTER = 15 * 60_000
ECHO = ("echo", {"say": "{{step.f1-0.text}}"})


class Told:
    """A poll that records its arguments before it returns its items."""

    def __init__(self, runtime: EngineRuntime) -> None:
        self.last: str | None = None
        self.known: frozenset[str] = frozenset()
        self.seen: frozenset[str] = frozenset()
        self.asked: Sequence[str] = ()
        app = runtime.toy.app
        poll = replace(next(one for one in app.triggers if one.key == "poll"), run=self._run)
        others = [one for one in app.triggers if one.key != "poll"]
        runtime.toy.app = replace(app, triggers=(poll, *others))
        self._poll = runtime.toy._poll

    async def _run(self, ctx: Context) -> None:
        self.last, self.known = ctx.flow.last_internal_id, ctx.known_ids
        self.seen = await ctx.seen(self.asked)
        await self._poll(ctx)


async def kept(runtime: EngineRuntime) -> set[str]:
    query = select(execution.c.internal_id).union(select(seen_event.c.internal_id))
    return set(await runtime.shelf.db.read(lambda tx: tx.execute(query).scalars().all()))


async def in_place(runtime: EngineRuntime) -> None:
    async def ahead() -> bool:
        return ((await runtime.shelf.trigger(FLOW_1)).next_due_at or 0) > runtime.clock.now

    await runtime.until_true(ahead)


async def publish(runtime: EngineRuntime, *ids: str, number: int = 1, source: int = 1) -> None:
    runtime.toy.items = [(one, f"item {one}") for one in ids]
    await runtime.publish(flow("poll", ECHO, number=number), source=source)
    await in_place(runtime)


async def poll(runtime: EngineRuntime, *ids: str) -> None:
    runtime.toy.items = [(one, f"item {one}") for one in ids]
    await runtime.pass_time(QUARTER)
    await in_place(runtime)


async def texts(runtime: EngineRuntime) -> list[str]:
    return [one.step(0).data_out["text"] for one in await runtime.all()]


async def test_the_app_gets_the_ids_of_its_source_without_the_prefix(runtime: EngineRuntime):
    told = Told(runtime)
    await publish(runtime, "1")
    await poll(runtime, "2", "1")
    await publish(runtime, "1", number=2, source=2)
    told.asked = ("1", "2", "3")

    await poll(runtime, "3", "1")
    after_the_switch = (told.last, told.known, told.seen)
    await poll(runtime, "3", "1")

    assert after_the_switch == (None, {"1"}, {"1"})
    assert (told.last, told.known, told.seen) == ("3", {"1", "3"}, {"1", "3"})
    assert await texts(runtime) == ["item 2", "item 3"]


async def test_back_at_the_first_source_the_newest_id_is_its_own(runtime: EngineRuntime):
    told = Told(runtime)
    await publish(runtime, "1")
    await poll(runtime, "2", "1")
    await publish(runtime, "1", number=2, source=2)
    await poll(runtime, "9", "1")
    await publish(runtime, "1", number=3, source=1)
    told.asked = ("2", "9")

    await poll(runtime, "2", "1")

    assert (told.last, told.known, told.seen) == ("2", {"1"}, {"2"})
    assert await texts(runtime) == ["item 2", "item 9"]


async def test_a_baseline_looks_only_at_its_own_source(runtime: EngineRuntime):
    told = Told(runtime)
    told.asked = ("1",)
    await publish(runtime, "1")

    await publish(runtime, "1", number=2, source=2)

    assert told.seen == frozenset()
    assert await kept(runtime) == {"1", "source-2/1"}


async def test_ids_of_the_first_source_that_look_like_those_of_another_one_are_no_others(
    runtime: EngineRuntime,
):
    await publish(runtime, "1")
    await poll(runtime, "source-2/5", "1")
    await publish(runtime, "1", number=2, source=2)

    await poll(runtime, "5", "1")

    assert await texts(runtime) == ["item source-2/5", "item 5"]


async def test_the_source_stays_while_a_service_asks_to_wait(runtime: EngineRuntime):
    await publish(runtime, "1", source=2)
    runtime.toy.refusal = too_many(60.0)
    await poll(runtime, "1")
    runtime.toy.refusal = None

    await poll(runtime, "2", "1")

    assert await kept(runtime) == {"source-2/1", "source-2/2"}


@pytest.mark.parametrize("source", [1, 2])
async def test_an_item_that_is_too_large_is_reported_once_in_any_source(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, source: int
):
    await publish(runtime, "1", source=source)
    monkeypatch.setattr(codec, "PAYLOAD_LIMIT", 1000)
    large = ("2", "x" * 2000)
    for _ in range(2):
        runtime.toy.items = [large, ("1", "item 1")]
        await runtime.pass_time(QUARTER)
        await in_place(runtime)

    assert len(await runtime.all()) == 1
