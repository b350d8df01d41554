"""Everything malicious we know of, fired at a running service while another process asks for its health."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from tests.support.bombing import Hit, Range, report, shooting_range
from tests.support.bombs import interface
from tests.support.pinging import p99

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(3_600)]

AVAILABLE_MS = 250
"""What 99 of 100 requests for the health of the service take at most, whatever else it is doing."""
FROZEN_MS = 5_000
"""A single answer may be late on a busy computer, but not as late as a freeze makes it."""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Range]:
    with shooting_range(tmp_path_factory.mktemp("bombs")) as made:
        yield made
        print("\n" + report(made.hits))


def fire_all(target: Range, bombs: dict[str, Callable[[], str]]) -> None:
    """Fire each; the service stays available during all of them together, and frozen during none."""
    hits = [target.fire(name, act) for name, act in bombs.items()]
    print("\n" + report(hits))
    assert not [hit.name for hit in hits if hit.failed_pings]
    assert not [hit.name for hit in hits if hit.ended.startswith("500")]
    assert not [hit.row for hit in hits if max(hit.waits, default=0) > FROZEN_MS]
    assert p99(_waits(hits)) <= AVAILABLE_MS


def _waits(hits: list[Hit]) -> list[float]:
    return [wait for hit in hits for wait in hit.waits]


@pytest.mark.parametrize("kind", ["BODIES", "RUNS", "READS"])
def test_the_service_stays_available_while_odd_requests_are_answered(target: Range, kind: str):
    bombs: dict[str, interface.Bomb] = getattr(interface, kind)

    fire_all(target, {name: partial(target.request, bomb) for name, bomb in bombs.items()})


@pytest.mark.parametrize("name", interface.PARAMETERS)
def test_the_service_stays_available_while_odd_parameters_are_used(target: Range, name: str):
    bombs = {name: interface.PARAMETERS[name]} | {
        f"{name}: {after}": bomb for after, bomb in interface.AFTER_PARAMETERS.items()
    }

    fire_all(target, {name: partial(target.request, bomb) for name, bomb in bombs.items()})
