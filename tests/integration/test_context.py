"""What app code may do with its context."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.app_calls import built_in_app
from tests.support.bombs.polls import UNPAGED_LISTS, unpaged_list
from tests.support.forms import in_forms, long_form
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.errors import NotSupported, ThirdPartyError
from patchbay.domain.ports import MORE_ITEMS_MARKER
from patchbay.integration import App, Context, offset_pages, one_page, polling, polling_trigger
from patchbay.integration.context import (
    CurrentAuth,
    CurrentExecution,
    CurrentFlow,
    CurrentStep,
    ExitRun,
    Park,
    collect_items,
)
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.masking import Masker
from patchbay.integration.polling import identify
from patchbay.integration.workers import Workers

APP = App(name="Shop", key="shop", api_base_url="http://unused")


async def three_items(ctx: Context) -> None:
    for number in (3, 2, 1):
        ctx.push_trigger_item({"number": number}, str(number))


async def test_a_trigger_stops_at_the_first_known_item():
    items = await collect_items(three_items, Context(app=APP, known_ids=frozenset({"2"})))

    assert [item.internal_id for item in items] == ["3"]


async def test_a_test_run_takes_the_first_item_even_when_it_is_known():
    ctx = Context(app=APP, known_ids=frozenset({"3"}), execution=CurrentExecution(test_run=True))

    items = await collect_items(three_items, ctx)

    assert [item.internal_id for item in items] == ["3"]


async def test_collecting_can_be_limited():
    assert len(await collect_items(three_items, Context(app=APP, max_items=2))) == 2


async def test_items_without_an_id_are_never_known():
    async def run(ctx: Context) -> None:
        ctx.push_trigger_item("a")
        ctx.push_trigger_item("a")

    assert len(await collect_items(run, Context(app=APP))) == 2


async def test_what_came_with_a_request_is_not_validated_again():
    ctx = Context(app=APP)
    raw: dict[str, Any] = {"body": [{"a": 1}] * 100_000}

    await ctx.push_request_item(raw, "1")

    assert ctx.trigger_items[0].raw is raw


@pytest.mark.parametrize(("length", "aside"), [(10, False), (1_000_000, True)])
async def test_secrets_in_a_large_request_are_hidden_beside_the_event_loop(monkeypatch, length, aside):
    threads = []

    def noting(masker: Masker, text: str) -> str:
        threads.append(threading.current_thread() is not threading.main_thread())
        return hide(masker, text)

    hide = Masker.text
    ctx = Context(app=APP, auth=CurrentAuth(data={"apiKey": "sk-live-1234"}))
    monkeypatch.setattr(Masker, "text", noting)

    await ctx.push_request_item(["sk-live-1234", "a" * length])

    assert ctx.trigger_items[0].raw == ["•••", "a" * length]
    assert threads == [aside, aside]


async def test_auth_data_is_merged_and_saved_as_a_whole():
    saved = []

    async def save(data):
        saved.append(data)

    ctx = Context(app=APP, auth=CurrentAuth(data={"apiKey": "k"}, save=save))
    await ctx.auth.set(screenName="Mine")

    assert saved == [{"apiKey": "k", "screenName": "Mine"}]
    assert ctx.auth.data == saved[0]


async def test_the_remote_webhook_id_is_saved():
    saved = []

    async def save(webhook_id):
        saved.append(webhook_id)

    flow = CurrentFlow(save_remote_webhook_id=save)
    await flow.set_remote_webhook_id("w1")

    assert (flow.remote_webhook_id, saved) == ("w1", ["w1"])


def test_signals_carry_what_the_engine_needs():
    ctx = Context(app=APP)

    with pytest.raises(ExitRun, match="enough"):
        ctx.execution.exit("enough")
    with pytest.raises(Park) as parked:
        ctx.park(1234)
    assert parked.value.until == 1234


def test_without_a_network_http_is_rejected_with_a_clear_error():
    with pytest.raises(NotSupported, match="without network access"):
        _ = Context(app=APP).http


def test_secrets_do_not_show_when_a_context_is_printed():
    ctx = Context(app=APP, auth=CurrentAuth(data={"apiKey": "sk-secret"}))

    assert "sk-secret" not in repr(ctx)


async def polled(answer, items, **changes) -> list:
    async with third_party(answer) as shop:
        factory = HttpFactory()
        app = App(name="Shop", key="shop", api_base_url=shop.url)
        ctx = Context(app=app, http_factory=factory, **changes)
        trigger = polling_trigger(key="new", name="New", items=items)
        found = await collect_items(trigger.run, ctx)
        await factory.aclose()
    return [found, shop.seen]


async def test_pages_are_read_until_one_is_not_full():
    def answer(request: Seen) -> Reply:
        start = int(dict(request.query)["offset"])
        return Reply(body={"data": {"rows": [{"id": n} for n in range(start, min(start + 2, 5))]}})

    items = offset_pages("/p/{project}/rows", at="data.rows", limit=2, query={"sort": "new", "p": "{other}"})
    found, seen = await polled(answer, items, step=CurrentStep(parameters={"project": "a/b"}))

    assert [item.internal_id for item in found] == ["0", "1", "2", "3", "4"]
    assert [dict(request.query)["offset"] for request in seen] == ["0", "2", "4"]
    assert seen[0].path == "/p/a%2Fb/rows"
    assert "p" not in dict(seen[0].query)


async def test_no_further_page_is_requested_after_a_known_item():
    rows = Reply(body=[{"id": n} for n in range(100)])

    found, seen = await polled(rows, offset_pages("/rows"), known_ids=frozenset({"1"}))

    assert [item.internal_id for item in found] == ["0"]
    assert len(seen) == 1


async def test_an_endless_list_ends():
    found, seen = await polled(Reply(body=[{"id": 1}, {"id": 2}]), offset_pages("/rows", limit=2))

    assert len(seen) == 20
    assert len([item for item in found if item.starts]) == 40


@pytest.mark.parametrize("name", in_forms([*UNPAGED_LISTS], short=["150 issues of 100 KB"]))
async def test_a_service_that_ignores_the_limit_of_a_page_gives_no_more_than_it(name):
    workers, body = Workers(), unpaged_list(name)

    found, seen = await polled(Reply(body=body), offset_pages("/rows", at="issues"), workers=workers)
    await workers.close()

    assert len([item for item in found if item.starts]) == 100 * len(seen)
    assert len(seen) * len(body) < polling.MAX_POLL_BYTES + len(body) + 1


async def test_lists_of_redmine_are_cut_to_the_limit_of_a_page_too():
    redmine = built_in_app("redmine")
    body = {"projects": [{"id": n, "name": f"P{n}", "status": 1} for n in range(3_000)]}
    async with third_party(Reply(body=body)) as server:
        factory = HttpFactory()
        data: dict[str, Any] = {"instanceUrl": server.url, "apiKey": "k"}
        ctx = Context(app=redmine, http_factory=factory, auth=CurrentAuth(data=data))
        [projects] = [one for one in redmine.dynamic_data if one.key == "listProjects"]
        options = await projects.load(ctx)
        await factory.aclose()

    assert len(options) == 100 * len(server.seen)


async def test_a_large_response_is_parsed_in_a_worker_process():
    workers = Workers()
    body = unpaged_list("200,000 issues")

    found, _ = await polled(Reply(body=body), one_page("/rows", at="issues"), workers=workers)
    started = workers.pids
    await workers.close()

    assert started
    assert (len(found), found[-1]) == (polling.MAX_ITEMS + 1, MORE_ITEMS_MARKER)


@long_form
async def test_a_large_response_that_is_not_json_is_reported_as_such():
    workers = Workers()

    with pytest.raises(ThirdPartyError) as refused:
        await polled(Reply(body=b"[" * 1_000_000), one_page("/rows"), workers=workers)
    await workers.close()

    assert "instead of JSON" in refused.value.text()


async def test_other_tasks_run_while_a_poll_handles_its_items():
    async def items(ctx: Context):
        for number in range(polling.MAX_ITEMS * 2):
            yield {"id": number, "words": ["word"] * 20}, str(number)

    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    trigger = polling_trigger(key="new", name="New", items=items)
    counting = asyncio.create_task(count_turns())
    found = await collect_items(trigger.run, Context(app=APP))
    counting.cancel()

    assert (len(found), found[-1]) == (polling.MAX_ITEMS + 1, MORE_ITEMS_MARKER)
    assert turns > 3


async def test_after_an_unfinished_poll_pages_are_read_further_and_past_what_came():
    def answer(request: Seen) -> Reply:
        start = int(dict(request.query)["offset"])
        return Reply(body=[{"id": n} for n in range(start, start + 2)])

    async def before(ids):
        return frozenset(one for one in ids if int(one) < 40)

    found, seen = await polled(
        answer,
        offset_pages("/rows", limit=2),
        unfinished_polls=1,
        find_seen_ids=before,
        known_ids=frozenset({"60"}),
    )

    assert [item.internal_id for item in found if item.starts] == [str(n) for n in range(40, 60)]
    assert MORE_ITEMS_MARKER not in found
    assert len(seen) <= 40


async def test_one_page_is_enough_for_short_lists():
    found, _ = await polled(Reply(body=[{"id": 9}]), one_page("/rows"))

    assert [item.raw for item in found] == [{"id": 9}]


async def test_an_answer_without_the_list_gives_no_items():
    found, _ = await polled(Reply(body={"error": "odd"}), one_page("/rows", at="rows"))

    assert found == ()


def test_an_item_without_an_id_is_known_by_its_content():
    assert identify({"a": 1, "b": 2}, "id") == identify({"b": 2, "a": 1}, "id")
    assert identify({"a": 1}, "id") != identify({"a": 2}, "id")
    assert identify({"meta": {"id": 7}}, "meta.id") == "7"


async def test_a_mark_is_remembered_and_is_no_item():
    async def run(ctx: Context) -> None:
        ctx.mark_known("7")
        ctx.push_trigger_item({"n": 6}, "6")

    mark, item = await collect_items(run, Context(app=APP, max_items=2))

    assert (mark.internal_id, mark.starts) == ("7", False)
    assert (item.internal_id, item.starts) == ("6", True)


@pytest.mark.parametrize(
    ("internal_id", "is_kept"),
    [("a" * 2000, True), ("a" * 2001, False), ("界" * 666, True), ("界" * 667, False)],
)
async def test_a_long_id_is_stored_as_its_hash_however_it_is_reported(internal_id: str, is_kept: bool):
    async def run(ctx: Context) -> None:
        ctx.mark_known(internal_id)
        ctx.mark_passed(internal_id)
        ctx.skip_item(internal_id, "unreadable")
        ctx.push_trigger_item({}, internal_id)

    items = await collect_items(run, Context(app=APP))

    [stored] = {item.internal_id for item in items}
    assert stored is not None
    assert (stored == internal_id) is is_kept
    assert len(stored.encode()) <= 2000


async def test_an_id_is_known_again_although_not_all_its_characters_can_be_stored():
    stored = ""

    async def find(ids: Sequence[str]) -> frozenset[str]:
        return frozenset(ids) & {stored}

    ctx = Context(app=APP, find_seen_ids=find)
    ctx.push_trigger_item({}, "a\0b\ud800")
    stored = ctx.trigger_items[0].internal_id or ""

    assert stored == "a\ufffdb\\ud800"
    assert await ctx.seen(["a\0b\ud800", "b"]) == {"a\0b\ud800"}
