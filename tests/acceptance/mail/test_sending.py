"""The smtp app sends through a real Postfix; Dovecot keeps what arrived."""

import asyncio
from base64 import b64decode, b64encode

import pytest
from tests.support.forms import in_forms, long_form
from tests.support.living_flows import change, publish, runs, steps
from tests.support.mail_flows import connect, send
from tests.support.mail_service import ADA, GRACE, needs_mail_service

from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionState

pytestmark = needs_mail_service
PIXEL = b64encode(b"\x89PNG\r\n\x1a\n not much of a picture").decode()


async def test_a_message_arrives_as_it_was_written_at_every_recipient(runtime, server):
    execution = await send(
        runtime,
        server,
        fromName="Ada Lövelace",
        to=f"Grace Höpper <{GRACE}>",
        cc=ADA,
        subject="Grüße — 100 €",
        body="Schöne Grüße\n.\nEnde",
        html="<p>Schöne <b>Grüße</b></p>",
        replyTo=GRACE,
        attachments=[
            {"name": "größe.txt", "content": "äöü\n", "kind": "text"},
            {"name": "../pixel.png", "content": PIXEL, "kind": "base64"},
        ],
    )

    sent = (await steps(runtime, execution))[1]
    assert execution.state is ExecutionState.SUCCESS, sent.error_details
    assert sent.data_out["recipients"] == [GRACE, ADA]
    assert sent.data_out["response"].startswith("250 ")
    for user in (GRACE, ADA):
        arrived = await asyncio.to_thread(server.arrived, "Grüße — 100 €", user)
        assert str(arrived["From"]) == f"Ada Lövelace <{ADA}>"
        assert (str(arrived["Cc"]), str(arrived["Reply-To"])) == (ADA, GRACE)
        assert arrived.get_body(("plain",)).get_content().splitlines() == ["Schöne Grüße", ".", "Ende"]
        assert "<b>Grüße</b>" in arrived.get_body(("html",)).get_content()
        text, picture = arrived.iter_attachments()
        assert (text.get_filename(), text.get_content()) == ("größe.txt", "äöü\n")
        assert (picture.get_filename(), picture.get_content_type()) == ("pixel.png", "image/png")
        assert picture.get_content() == b64decode(PIXEL)


@long_form
async def test_a_blind_copy_is_in_no_header(runtime, server):
    await send(runtime, server, bcc=ADA, subject="Quiet")

    for user in (GRACE, ADA):
        arrived = await asyncio.to_thread(server.arrived, "Quiet", user)
        assert arrived["Bcc"] is None
        assert ADA not in str(arrived["To"])


@long_form
async def test_when_one_recipient_is_rejected_the_message_is_not_sent(runtime, server):
    execution = await send(runtime, server, to=f"{GRACE}, nobody@example.test", subject="All or none")

    error = (await steps(runtime, execution))[1].error_details
    await asyncio.to_thread(server.settle)
    assert error["said"].startswith("550 5.1.1 <nobody@example.test>")
    assert error["request"] == "RCPT TO:<nobody@example.test>"
    assert "wasn't sent to anyone" in error["meaning"]
    assert server.messages(GRACE) == []


@long_form
async def test_line_breaks_in_subject_and_name_make_no_header(runtime, server):
    await send(
        runtime,
        server,
        subject="One\r\nBcc: ada@example.test\r\n\r\nBody",
        fromName="Ada\nX-Planted: yes",
        body="text",
    )

    arrived = await asyncio.to_thread(server.arrived, "One Bcc: ada@example.test Body", GRACE)
    assert arrived["Bcc"] is None
    assert arrived["X-Planted"] is None
    assert server.messages(ADA) == []


NEW_HEADER, NEW_COMMAND = "grace@example.test\nBcc: <ada@example.test>", "a b@example.test>\r\nDATA"


@pytest.mark.parametrize("to", in_forms([NEW_HEADER, NEW_COMMAND], short=[NEW_COMMAND]))
async def test_line_breaks_in_addresses_are_refused(runtime, server, to):
    execution = await send(runtime, server, to=to)

    error = (await steps(runtime, execution))[1].error_details
    assert error["kind"] == "ModelValidation"
    assert "isn't an email address" in error["happened"]


@long_form
async def test_a_server_that_is_down_is_reported_by_the_step_and_on_the_connection(runtime, server):
    account = await connect(runtime, server, "smtp")
    step = change("smtp", "sendEmail", account.id, fromEmail=ADA, to=GRACE, subject="Down")
    flow = await publish(runtime, change("tools", "catch"), step)
    server.stop_postfix()
    try:
        await runtime.backend.run_flow(flow.id, {"start": True})
        [execution] = await runs(runtime, 1)
        tested = await runtime.backend.test_connection(account.id)
    finally:
        server.start_postfix()

    error = (await steps(runtime, execution))[1].error_details
    assert (error["kind"], error["happened"]) == (
        "Unreachable",
        f"{server.place('smtp')} refused the connection.",
    )
    assert tested.health is ConnectionHealth.VALID
    assert "refused the connection" in str(tested.unreachable)
