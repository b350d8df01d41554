"""The wire shapes of run control and of the engine."""

from typing import Any
from uuid import uuid4

import pytest

NOWHERE = str(uuid4())


async def _run(runtime, flow):
    """An execution that stays queued."""
    runtime.engine.pause()
    return await runtime.backend.run_flow(flow.id, {"name": "Ada"})


async def test_a_cancelled_execution_is_answered_and_cannot_be_cancelled_again(runtime, caller, webhook_flow):
    run = await _run(runtime, webhook_flow)

    ended = await caller.post(f"/v1/executions/{run}/cancel")
    again = await caller.post(f"/v1/executions/{run}/cancel")

    assert (ended.status_code, ended.json()["meta"]["type"]) == (200, "Execution")
    assert (ended.json()["data"]["state"], ended.json()["data"]["status"]) == ("cancelled", None)
    assert (again.status_code, again.json()["meta"]["type"]) == (409, "Conflict")


async def test_a_replay_is_accepted_with_its_id_and_says_where_it_comes_from(runtime, caller, webhook_flow):
    run = await _run(runtime, webhook_flow)

    plain = await caller.post(f"/v1/executions/{run}/replay")
    edited = await caller.post(f"/v1/executions/{run}/replay", json={"item": {"n": 1}, "on": "newest"})

    assert (plain.status_code, edited.status_code) == (202, 202)
    made = {answer.json()["data"]["id"] for answer in (plain, edited)}
    found = (await caller.get("/v1/executions", params={"originId": run})).json()["data"]
    assert {item["id"] for item in found} == made
    assert {(item["originId"], item["originKind"]) for item in found} == {(run, "replay")}


@pytest.mark.parametrize("what", ["cancel", "retry", "replay"])
async def test_executions_that_are_not_there(caller, what):
    assert (await caller.post(f"/v1/executions/{NOWHERE}/{what}")).status_code == 404
    assert (await caller.post(f"/v1/executions/no-id/{what}")).status_code == 400


async def test_steps_to_replay_on_are_the_original_or_the_newest(caller):
    answer = await caller.post(f"/v1/executions/{NOWHERE}/replay", json={"on": "the-best"})

    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["on"])


async def test_a_bulk_retry_is_a_job_with_an_address(caller):
    begun = await caller.post("/v1/execution-retries", json={"flowId": NOWHERE, "status": "failure"})
    job = begun.json()["data"]

    assert begun.status_code == 202
    assert job == {
        "id": job["id"],
        "total": 0,
        "done": 0,
        "refused": 0,
        "reasons": [],
        "finished": True,
        "cancelled": False,
    }
    address = f"/v1/execution-retries/{job['id']}"
    assert (await caller.get(address)).json()["data"] == job
    assert (await caller.delete(address)).json()["data"] == job
    assert (await caller.post("/v1/execution-retries")).status_code == 202
    assert (await caller.get(f"/v1/execution-retries/{NOWHERE}")).status_code == 404


async def test_only_the_settings_given_are_changed(caller):
    before = (await caller.get("/v1/engine")).json()["data"]["settings"]

    changed = await caller.patch("/v1/engine", json={"retention": {"successDays": 7, "most": None}})

    assert before["retention"] == {"successDays": 90, "failureDays": 365, "most": 1_000_000}
    after = before | {"retention": {"successDays": 7, "failureDays": 365, "most": None}}
    assert changed.json()["data"] == after
    told = (await caller.get("/v1/engine")).json()["data"]
    assert (told["settings"], told["health"]["state"]) == (after, "running")


@pytest.mark.parametrize(
    "settings",
    [
        {"maxConcurrent": 0},
        {"maxConcurrent": None},
        {"retention": {"successDays": 0}},
        {"appLimits": {"tools": {"calls": 0}}},
        {"appLimits": {"nobody": {"calls": 1}}},
    ],
)
async def test_settings_that_make_no_sense_change_nothing(caller, settings):
    before = (await caller.get("/v1/engine")).json()["data"]["settings"]

    refused = await caller.patch("/v1/engine", json=settings)

    assert (refused.status_code, list(refused.json()["errors"])) == (422, list(settings))
    assert (await caller.get("/v1/engine")).json()["data"]["settings"] == before


async def test_the_engine_is_held_and_let_go(caller):
    held = (await caller.post("/v1/engine/pause")).json()["data"]
    known = (await caller.get("/v1/health")).json()["data"]
    gone_on = (await caller.post("/v1/engine/resume")).json()["data"]

    assert [health["state"] for health in (held, known, gone_on)] == ["paused", "paused", "running"]
    assert {"queued", "oldestQueuedAt", "lastTickAt"} <= known.keys()


async def test_what_the_history_takes_up(caller):
    use = (await caller.get("/v1/storage")).json()["data"]
    tidied = (await caller.post("/v1/storage/tidy")).json()["data"]

    assert use.keys() == {"bytes", "freeBytes", "executions", "oldestAt"}
    assert (use["executions"], tidied["removed"]) == (0, 0)


async def test_a_limit_is_given_or_taken_away_never_left_out(caller):
    address = f"/v1/connections/{NOWHERE}/rate-limit"
    limits: tuple[dict[str, Any], ...] = (
        {},
        {"rateLimit": {"calls": 0}},
        {"rateLimit": {"calls": 5}},
        {"rateLimit": None},
    )

    answers = [(await caller.patch(address, json=limit)).status_code for limit in limits]

    assert answers == [422, 422, 404, 404]
