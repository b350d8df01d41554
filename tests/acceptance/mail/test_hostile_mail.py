"""Messages of strangers at a real Dovecot: none of them keeps the others from starting the flow."""

import asyncio

import pytest
from tests.support.bombs.mail import DEMONSTRATED, mail
from tests.support.forms import long_form
from tests.support.living_flows import poll, runs, steps
from tests.support.mail_flows import on_new_mail
from tests.support.mail_service import message, needs_mail_service

from patchbay.apps.imap import reading
from patchbay.domain.executions import ExecutionState

pytestmark = needs_mail_service


def good(subject: str) -> bytes:
    return message(subject).as_bytes().replace(b"\n", b"\r\n")


@long_form
@pytest.mark.timeout(120)
async def test_every_message_around_hostile_ones_arrives_and_each_of_those_is_shown_once(runtime, server):
    await on_new_mail(runtime, server)
    bombs = list(DEMONSTRATED.values())

    await asyncio.to_thread(server.put_raw, *[good("Before"), *bombs, good("After")])

    await runs(runtime, len(bombs) + 2, seconds=60)
    await poll(runtime)
    await asyncio.to_thread(server.put_raw, good("Later"))
    found = await runs(runtime, len(bombs) + 3, seconds=30)
    assert len(found) == len(bombs) + 3
    told = [(await steps(runtime, one))[0].data_out for one in found if one.state is ExecutionState.SUCCESS]
    assert {"Before", "After", "Later"} <= {str(item["subject"]) for item in told}


@long_form
@pytest.mark.timeout(120)
async def test_a_message_that_cannot_be_read_is_skipped_and_shown_with_its_subject(
    runtime, server, monkeypatch
):
    await on_new_mail(runtime, server)
    monkeypatch.setattr(reading, "OUTPUT_BYTES", 20_000)
    bomb = mail(b"From: Mallory <mallory@example.test>", body=b"x" * 50_000)

    await asyncio.to_thread(server.put_raw, good("Before"), bomb, good("After"))

    found = await runs(runtime, 3, seconds=30)
    await poll(runtime)
    assert len(await runs(runtime, 3)) == 3
    [skipped] = [one for one in found if one.state is ExecutionState.FAILURE]
    error = (await steps(runtime, skipped))[0].error_details
    assert error["kind"] == "ItemSkipped"
    assert "bomb, from Mallory <mallory@example.test>" in error["happened"]
    told = [(await steps(runtime, one))[0].data_out for one in found if one is not skipped]
    assert sorted(str(item["subject"]) for item in told) == ["After", "Before"]
