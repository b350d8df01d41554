"""The service answers others while it deals with malicious requests. Acceptance tests fire all of them."""

from collections.abc import Iterator
from functools import partial

import pytest
from tests.support import flow_files as files
from tests.support.bombing import Range, report, shooting_range
from tests.support.bombs import interface, steps, webhooks
from tests.support.forms import long_form

pytestmark = pytest.mark.timeout(180)

FROZEN_MS = 5_000
"""Generous: the computer may be busy. Most of these once froze the service for much longer, or broke it."""

STEPS = ("pluralize: words without end", "HTML: tags that are never closed")
WEBHOOKS = ("charset punycode", "charset undefined", "content type of semicolons", "json of empty lists")
BODIES = ("a time zone of 450,000 parts", "330,000 empty lists as a body", "60,000 unknown fields")
RUNS = ("run with 330,000 empty lists", "run with 60,000 fields")


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Range]:
    with shooting_range(tmp_path_factory.mktemp("bombs")) as made:
        yield made


@long_form
def test_others_are_answered_while_bombs_go_off(target: Range):
    requests = interface.BODIES | interface.RUNS
    acts = (
        {name: partial(target.request, requests[name]) for name in (*BODIES, *RUNS)}
        | {name: partial(target.webhook, webhooks.BODIES[name]) for name in WEBHOOKS}
        | {name: partial(target.step, steps.STEPS[name]) for name in STEPS}
    )

    hits = [target.fire(name, act) for name, act in acts.items()]

    told = report(hits)
    assert not [hit.row for hit in hits if hit.failed_pings or hit.ended.startswith("500")], told
    assert not [hit.row for hit in hits if max(hit.waits, default=0) > FROZEN_MS], told


@long_form
def test_a_flow_that_calls_its_own_webhook_ends_at_the_limit_of_its_root(target: Range):
    http = target.interface.http
    http.patch("/v1/engine", json={"maxRunsPerRoot": 10}).raise_for_status()
    document = files.flow("Loop", files.catch(), files.request("POST", "http://127.0.0.1/", "{}"))
    flow_id = target.publish(document)
    action = target.interface.data(f"/v1/flows/{flow_id}")["steps"][1]
    own = {**action["parameters"], "url": f"{target.service.address}/webhooks/flows/{flow_id}"}
    http.patch(f"/v1/flows/{flow_id}/status", json={"active": False}).raise_for_status()
    http.patch(f"/v1/steps/{action['id']}", json={"parameters": own}).raise_for_status()
    http.post(f"/v1/steps/{action['id']}/skip-test").raise_for_status()
    http.patch(f"/v1/flows/{flow_id}/status", json={"active": True}).raise_for_status()

    http.post(own["url"], json={}).raise_for_status()

    target.until_idle()
    runs = target.interface.executions("Loop")
    assert [run["state"] for run in runs].count("failure") == 1
    assert len(runs) == 10
    [*_, last] = target.interface.steps(runs[0]["id"])
    assert last["errorDetails"]["status"] == 409
    assert "reached 10 runs" in str(last["errorDetails"])
