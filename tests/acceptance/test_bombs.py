"""Everything malicious we know of, fired at a running service while another process asks for its health."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.bombing import Range, report, shooting_range
from tests.support.bombs import imports, interface, mail, steps, webhooks
from tests.support.mail_service import mail_service, needs_mail_service
from tests.support.pinging import p99
from tests.support.processes import until

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(3_600)]

AVAILABLE_MS = 250
"""What 99 of 100 requests for the health of the service take at most, whatever else it is doing."""
IDLE_MS = 25
"""What 99 of 100 of them take at most on a quiet computer while the service is idle, with some room."""
FROZEN_MS = 5_000
"""A single answer may be late on a busy computer, but not as late as a freeze makes it."""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Range]:
    with shooting_range(tmp_path_factory.mktemp("bombs")) as made:
        yield made
        print("\n" + report(made.hits))


def fire_all(target: Range, bombs: dict[str, Callable[[], str]]) -> None:
    """Fire each; the service stays available during all of them together, and is frozen by none."""
    hits = [target.fire(name, act) for name, act in bombs.items()]
    print("\n" + report(hits))
    assert not [hit.name for hit in hits if hit.failed_pings]
    assert not [hit.row for hit in hits if hit.ended.startswith("500")]
    assert not [hit.row for hit in hits if max(hit.waits, default=0) > FROZEN_MS]
    assert p99([wait for hit in hits for wait in hit.waits]) <= AVAILABLE_MS * slowness(target)


def slowness(target: Range) -> float:
    """How many times slower this computer is than a quiet one, measured before anything was fired.

    Pings barely use the processor and hardly notice that others compute; work of the service does.
    """
    return max(1.0, target.idle_p99 / IDLE_MS, target.processor_wait)


def test_the_service_stays_available_while_odd_requests_are_answered(target: Range):
    bombs = interface.BODIES | interface.RUNS | interface.READS

    fire_all(target, {name: partial(target.request, bomb) for name, bomb in bombs.items()})


def test_the_service_stays_available_while_odd_parameters_are_used(target: Range):
    bombs = {
        f"{name}{after}": bomb
        for name, stored in interface.PARAMETERS.items()
        for after, bomb in [("", stored), *((f": {key}", use) for key, use in interface.AFTER.items())]
    }

    fire_all(target, {name: partial(target.request, bomb) for name, bomb in bombs.items()})


def test_the_service_stays_available_while_odd_bodies_are_sent_to_webhooks(target: Range):
    fire_all(target, {name: partial(target.webhook, bomb) for name, bomb in webhooks.BODIES.items()})


def test_the_service_stays_available_while_malicious_flows_are_imported(target: Range):
    def imported(text: str) -> interface.Bomb:
        content = text.encode("utf-8", "surrogatepass")
        return lambda at: interface.Request("POST", "/v1/flows/import", content)

    fire_all(
        target,
        {name: partial(target.request, imported(text)) for name, text in imports.IMPORTS.items()},
    )


def test_the_service_stays_available_while_malicious_steps_run(target: Range):
    fire_all(target, {name: partial(target.step, bomb) for name, bomb in steps.STEPS.items()})


def test_the_service_stays_available_while_values_are_repeated_in_parameters(target: Range):
    bombs: dict[str, Any] = {
        name: partial(target.step, bomb, steps.TRIGGER_ITEM) for name, bomb in steps.WITH_REFERENCES.items()
    }

    fire_all(target, bombs)


@needs_mail_service
def test_the_service_stays_available_while_malicious_mail_is_read(target: Range):
    messages = [one for one in mail.MAILS.values() if one]  # a mailbox takes no empty one
    batches = [messages[start : start + 20] for start in range(0, len(messages), 20)]
    with mail_service() as server:
        mailbox = target.connect("imap", **server.account("imap"))
        trigger = files.step("imap", "newMail", withContent=True)
        arrived = target.poll("Mail", trigger, mailbox)
        until(server.idling, 30)

        def put(some: list[bytes]) -> str:
            server.put_raw(*some)
            there.extend(some)
            return arrived(len(there))

        there: list[bytes] = []
        fire_all(
            target, {f"{len(some)} messages like {some[0][:30]!r}": partial(put, some) for some in batches}
        )
