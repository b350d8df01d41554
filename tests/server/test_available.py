"""The service answers others while it deals with malicious requests. Acceptance tests fire all of them."""

from collections.abc import Iterator
from functools import partial

import pytest
from tests.support.bombing import Range, report, shooting_range
from tests.support.bombs import interface, steps, webhooks

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
