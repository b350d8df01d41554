"""Calls that are repeated, held, tests, or not from whom they should be."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import update
from tests.support.engine_runtime import FLOW_1, FLOW_2, EngineRuntime
from tests.support.patience import PATIENCE
from tests.support.toy_apps import flow

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.errors import AppError, Conflict, NotFound, Unreachable
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import Auth, Context, Trigger, api_key_fields
from patchbay.storage.tables import flow as flow_table

CONNECTION = ConnectionId("c1")

NAMED: dict[str, Any] = {"x-github-delivery": "72d3162e"}


async def call(
    runtime: EngineRuntime, *, synchronous: bool = False, test: bool = False, body=None, **headers: str
):
    """Send a request; underlines in header names stand for hyphens."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    request = WebhookRequest(method="POST", headers=given, query={}, body=body, raw_body=b"raw")
    if test:
        return await runtime.engine.deliver_test(FLOW_1, request)
    return await runtime.engine.deliver(FLOW_1, request, synchronous=synchronous)


def guard(runtime: EngineRuntime, verify) -> None:
    """Give the toy app a trigger that checks who calls."""
    guarded = Trigger(key="guarded", name="Guarded", kind=TriggerKind.WEBHOOK, verify_webhook=verify)
    runtime.toy.app = replace(runtime.toy.app, triggers=(*runtime.toy.app.triggers, guarded))


async def says_friend(ctx: Context) -> bool:
    return ctx.request is not None and ctx.request.headers.get("x-word") == "friend"


# Deliveries


async def test_a_repeated_delivery_runs_once_and_the_response_says_so(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))

    first = await call(runtime, **NAMED)
    again = await call(runtime, **NAMED)

    assert (first.status, dict(first.headers)) == (204, {})
    assert (again.status, again.headers["x-patchbay-delivery"]) == (204, "duplicate")
    await runtime.one()


async def test_deliveries_under_other_names_or_to_other_flows_run(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    await runtime.publish(flow("hook", "echo", flow_id="f2"))

    await call(runtime, **NAMED)
    await call(runtime, x_github_delivery="other")
    await call(runtime, x_gitea_delivery="72d3162e")
    await runtime.engine.deliver(
        FLOW_2, WebhookRequest(method="POST", headers=NAMED, query={}), synchronous=False
    )

    await runtime.until_all(4)


async def test_calls_without_a_name_run_each_time(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))

    await call(runtime)
    await call(runtime)

    await runtime.until_all(2)


async def test_who_repeats_a_synchronous_delivery_gets_the_first_answer(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ("respond", {"body": "hello"})))

    first = await call(runtime, synchronous=True, **NAMED)
    again = await call(runtime, synchronous=True, **NAMED)

    assert (first.status, first.body) == (again.status, again.body) == (201, "hello")
    assert (again.headers["x-toy"], again.headers["x-patchbay-delivery"]) == ("yes", "duplicate")
    await runtime.one()


async def test_who_repeats_a_delivery_that_still_runs_waits_for_its_answer(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow", ("respond", {"body": "late"})))
    first = asyncio.create_task(call(runtime, synchronous=True, **NAMED))
    await runtime.until(lambda: runtime.toy.inside == 1)

    again = asyncio.create_task(call(runtime, synchronous=True, **NAMED))
    await runtime.settle()
    runtime.toy.gate.set()

    assert (await first).body == (await again).body == "late"
    await runtime.one()


async def test_who_gave_up_waiting_gets_the_answer_by_asking_again(runtime: EngineRuntime):
    await runtime.engine.stop()
    runtime.new_engine(max_wait_seconds=0.05)
    await runtime.engine.start()
    await runtime.publish(flow("hook", "slow", ("respond", {"body": "late"})))

    assert (await call(runtime, synchronous=True, **NAMED)).status == 504
    runtime.toy.gate.set()
    await runtime.one()

    assert (await call(runtime, synchronous=True, **NAMED)).body == "late"


async def test_an_answer_that_is_no_longer_known_is_no_content(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ("respond", {"body": "hello"})))
    await call(runtime, synchronous=True, **NAMED)
    await runtime.engine.stop()
    runtime.new_engine()
    await runtime.engine.start()

    again = await call(runtime, synchronous=True, **NAMED)

    assert (again.status, again.headers["x-patchbay-delivery"]) == (204, "duplicate")
    await runtime.one()


async def test_deliveries_that_arrive_together_run_once(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ("respond", {"body": "hello"})))

    answers = await asyncio.gather(*(call(runtime, synchronous=True, **NAMED) for _ in range(8)))

    assert {(answer.status, answer.body) for answer in answers} == {(201, "hello")}
    assert sum("x-patchbay-delivery" not in answer.headers for answer in answers) == 1
    await runtime.one()


async def test_the_caller_of_a_cancelled_run_gets_an_error(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow"))
    waiting = asyncio.create_task(call(runtime, synchronous=True))
    await runtime.until(lambda: runtime.toy.inside == 1)

    await runtime.engine.cancel((await runtime.all())[0].id)

    assert (await waiting).status == 409


# Tests and held flows


async def test_the_test_address_keeps_a_test_of_the_draft_while_the_flow_is_live(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))

    answer = await call(runtime, test=True, body={"n": 1}, **NAMED)
    await call(runtime, test=True, body={"n": 1}, **NAMED)
    await call(runtime, body={"n": 2}, **NAMED)

    assert (answer.status, answer.headers["x-patchbay-delivery"]) == (204, "test")
    seen = await runtime.until_all(3)
    assert sorted((item.test_run, len(item.steps)) for item in seen) == [(False, 2), (True, 1), (True, 1)]


async def test_a_call_to_a_draft_is_a_test_on_every_address(runtime: EngineRuntime):
    await runtime.shelf.draft(flow("hook", "echo"))

    answers = [await call(runtime), await call(runtime, synchronous=True), await call(runtime, test=True)]

    assert [answer.headers["x-patchbay-delivery"] for answer in answers] == ["test"] * 3
    assert all(seen.test_run for seen in await runtime.until_all(3))


async def test_an_address_is_looked_up_without_a_run(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    await runtime.publish(flow("poll", "echo", flow_id="f2"))
    await runtime.shelf.draft(flow("hook", "echo", flow_id="f3"))

    await runtime.engine.check_webhook(FLOW_1)
    await runtime.engine.check_webhook(FlowId("f3"))
    with pytest.raises(Conflict):
        await runtime.engine.check_webhook(FLOW_2)
    with pytest.raises(NotFound):
        await runtime.engine.check_webhook(FlowId("nobody"))
    assert await runtime.all() == []


async def test_a_broken_trigger_tells_who_tests_it(runtime: EngineRuntime):
    runtime.toy.refusal = KeyError("sk-secret")
    await runtime.shelf.draft(flow("brokenHook", "echo"))

    answer = await call(runtime)

    assert (answer.status, await runtime.all()) == (502, [])
    assert "KeyError" in answer.body
    assert "sk-secret" not in answer.body


@pytest.mark.parametrize("what", ["engine", "flow"])
async def test_a_synchronous_call_while_paused_is_accepted_and_does_not_wait(runtime: EngineRuntime, what):
    await runtime.publish(flow("hook", ("respond", {"body": "hello"})))
    if what == "engine":
        runtime.engine.pause()
    else:
        paused = update(flow_table).where(flow_table.c.id == "f1").values(paused_at=1)
        await runtime.shelf.db.write(lambda tx: tx.execute(paused))
        runtime.engine.triggers_changed()

    async with asyncio.timeout(PATIENCE):
        answer = await call(runtime, synchronous=True)

    assert (answer.status, answer.headers["x-patchbay-delivery"]) == (202, "queued")
    assert "runs when the flow is resumed" in json.loads(answer.body)["message"]
    assert len(await runtime.all()) == 1


async def test_a_pause_while_the_paused_flows_are_read_counts_for_the_next_call(
    runtime: EngineRuntime, monkeypatch
):
    await runtime.engine.stop()
    runtime.new_engine(max_wait_seconds=0.05)
    await runtime.engine.start()
    await runtime.publish(flow("hook", ("respond", {"body": "hello"})))
    webhooks = runtime.engine._components.webhooks
    store = webhooks._store

    class PausingStore:
        """Pauses the flow after its state was read, and before the reader gets it."""

        def __getattr__(self, name):
            return getattr(store, name)

        async def active_triggers(self):
            found = await store.active_triggers()
            paused = update(flow_table).where(flow_table.c.id == "f1").values(paused_at=1)
            await runtime.shelf.db.write(lambda tx: tx.execute(paused))
            runtime.engine.triggers_changed()
            return found

    monkeypatch.setattr(webhooks, "_store", PausingStore())
    await call(runtime, synchronous=True)

    monkeypatch.setattr(webhooks, "_store", store)
    answer = await call(runtime, synchronous=True)

    assert (answer.status, answer.headers["x-patchbay-delivery"]) == (202, "queued")


# Who calls


async def test_a_call_that_is_not_recognised_leaves_nothing_but_a_line_in_the_log(
    runtime: EngineRuntime, caplog
):
    guard(runtime, says_friend)
    await runtime.publish(flow("guarded", "echo"))

    answers = [await call(runtime, x_word="sk-wrong-word", synchronous=way) for way in (False, True, False)]

    assert [answer.status for answer in answers] == [401] * 3
    assert "signature" in json.loads(answers[0].body)["errors"]["general"][0]
    assert await runtime.all() == []
    assert caplog.text.count("rejected 1 request with") == 1
    assert "sk-wrong-word" not in caplog.text


async def test_the_log_counts_calls_that_were_turned_away(runtime: EngineRuntime, caplog):
    guard(runtime, says_friend)
    await runtime.publish(flow("guarded", "echo"))
    for _ in range(3):
        await call(runtime)
    runtime.clock.now += 60_000

    await call(runtime)

    assert "rejected 4 requests" in caplog.text


async def test_a_call_that_is_recognised_runs_and_its_proof_is_not_kept(runtime: EngineRuntime):
    guard(runtime, says_friend)
    await runtime.publish(flow("guarded", "echo"))
    private: dict[str, Any] = {
        "x_hub_signature_256": "sha256=1",
        "Authorization": "Basic 2",
        "cookie": "3",
        "x_api_token": "4",
    }

    assert (await call(runtime, x_word="friend", **private)).status == 204

    headers = (await runtime.one()).step(0).data_out["headers"]
    assert headers.pop("x-word") == "friend"
    assert set(headers) == {"x-hub-signature-256", "authorization", "cookie", "x-api-token"}
    assert set(headers.values()) == {"•••"}


async def test_tests_are_checked_too(runtime: EngineRuntime):
    guard(runtime, says_friend)
    await runtime.shelf.draft(flow("guarded", "echo"))

    assert (await call(runtime, test=True)).status == 401
    assert (await call(runtime, test=True, x_word="friend")).status == 204


async def test_an_app_may_answer_a_call_itself_and_start_nothing(runtime: EngineRuntime):
    async def challenge(ctx: Context) -> bool:
        ctx.respond(200, {}, "challenge accepted")
        return False

    guard(runtime, challenge)
    await runtime.publish(flow("guarded", "echo"))

    answer = await call(runtime)

    assert (answer.status, answer.body, await runtime.all()) == (200, "challenge accepted", [])


async def test_a_broken_signature_check_rejects_all_calls(runtime: EngineRuntime):
    async def broken(ctx: Context) -> bool:
        raise KeyError("sk-secret")

    guard(runtime, broken)
    await runtime.publish(flow("guarded", "echo"))

    answer = await call(runtime)

    assert (answer.status, await runtime.all()) == (502, [])
    assert "sk-secret" not in answer.body


async def test_a_check_that_cannot_be_made_now_asks_the_sender_to_come_back(runtime: EngineRuntime):
    async def locked(ctx: Context) -> bool:
        raise AppError("The vault is locked.")

    guard(runtime, locked)
    await runtime.publish(flow("guarded", "echo"))

    with pytest.raises(Unreachable):
        await call(runtime)
    assert await runtime.all() == []


async def test_only_with_a_connection_does_its_app_verify_the_call(runtime: EngineRuntime):
    async def nothing(ctx: Context) -> None:
        return None

    async def by_key(ctx: Context) -> bool:
        return ctx.request is not None and ctx.request.headers.get("x-word") == ctx.auth.data["apiKey"]

    auth = Auth(
        fields=api_key_fields(), verify_credentials=nothing, is_still_verified=by_key, verify_webhook=by_key
    )
    runtime.toy.app = replace(runtime.toy.app, auth=auth)
    runtime.vault.data[CONNECTION] = {"apiKey": "open-sesame"}
    connected = flow("hook", "echo")
    first = connected.steps[0].model_copy(update={"connection_id": "c1"})
    await runtime.publish(connected.model_copy(update={"steps": (first, *connected.steps[1:])}))
    await runtime.publish(flow("hook", "echo", flow_id="f2"))

    assert (await call(runtime, x_word="wrong")).status == 401
    assert (await call(runtime, x_word="open-sesame")).status == 204
    assert (await runtime.post(FLOW_2)).status == 204
    del runtime.vault.data[CONNECTION]
    with pytest.raises(Unreachable):
        await call(runtime, x_word="open-sesame")
