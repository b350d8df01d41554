"""The imap app at a real Dovecot: new mail starts flows, within seconds."""

import asyncio
from base64 import b64decode

import pytest
from tests.support.forms import long_form
from tests.support.living_flows import change, poll, publish, runs, steps
from tests.support.mail_flows import connect, eventually, listening, on_new_mail, subjects
from tests.support.mail_service import ADA, GRACE, message, needs_mail_service

from patchbay.domain.executions import ExecutionState
from patchbay.engine.triggers import polling

pytestmark = needs_mail_service


async def test_new_mail_starts_a_flow_within_seconds(runtime, server):
    server.put(message("Known before"))
    await on_new_mail(runtime, server)

    await asyncio.to_thread(server.send, message("Just now"))

    assert await subjects(runtime, 1) == ["Just now"], "long before the next poll"
    assert not server.seen()


@long_form
async def test_mail_that_arrived_while_patchbay_was_off_starts_the_flow_once_it_is_on(runtime, server):
    await on_new_mail(runtime, server)
    await runtime.engine.stop()
    server.put(message("First"), message("Second"))

    await runtime.engine.start()

    assert await subjects(runtime, 2) == ["First", "Second"]


@long_form
async def test_a_message_is_read_with_all_its_parts(runtime, server):
    await on_new_mail(runtime, server, withContent=True)
    written = message("Grüße", "Hällo\n", sender=f"Jörg Müller <{GRACE}>")
    written.add_alternative("<b>Hällo</b>", subtype="html")
    written.add_attachment(b"1;2\n", maintype="text", subtype="csv", filename="größe.csv")

    await asyncio.to_thread(server.send, written)

    [execution] = await runs(runtime, 1)
    told = (await steps(runtime, execution))[0].data_out
    assert told["from"] == {"name": "Jörg Müller", "address": GRACE}
    assert (told["subject"], told["text"], told["folder"], told["seen"]) == (
        "Grüße",
        "Hällo\n",
        "INBOX",
        False,
    )
    assert "<b>Hällo</b>" in told["html"]
    [file] = told["attachments"]
    assert (file["filename"], file["contentType"], file["size"]) == ("größe.csv", "text/csv", 4)
    assert b64decode(file["content"]) == b"1;2\n"
    assert told["id"] == f"{server.validity()}:{told['uid']}" == execution.internal_id


@long_form
async def test_attachments_are_passed_on_to_another_message(runtime, server):
    mailbox, account = await connect(runtime, server, "imap"), await connect(runtime, server, "smtp")
    await publish(
        runtime,
        change("imap", "newMail", mailbox.id, withContent=True),
        change(
            "smtp",
            "sendEmail",
            account.id,
            fromEmail=ADA,
            to=GRACE,
            subject="Fwd: {{step.{trigger}.subject}}",
            attachments=[{"name": "", "content": "{{step.{trigger}.attachments}}", "kind": "text"}],
        ),
    )
    await listening(server)
    written = message("Two files")
    for name in ("one.bin", "two.bin"):
        written.add_attachment(name.encode(), maintype="application", subtype="octet-stream", filename=name)

    await asyncio.to_thread(server.send, written)

    arrived = await asyncio.to_thread(server.arrived, "Fwd: Two files", GRACE)
    files = {part.get_filename(): part.get_content() for part in arrived.iter_attachments()}
    assert files == {"one.bin": b"one.bin", "two.bin": b"two.bin"}


@long_form
@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        pytest.param({"subject": "(a) 100% {5} *"}, ["Bill (a) 100% {5} *"], marks=long_form),
        pytest.param({"subject": "rüß"}, ["Grüße"], marks=long_form),
        pytest.param({"from": "charles", "subject": "Bill"}, ["Bill", "Bill that was read"], marks=long_form),
        ({"unreadOnly": True, "from": "charles"}, ["Bill"]),
        ({"subject": 'x"\r\nA1 DELETE INBOX'}, []),
    ],
)
async def test_only_mail_that_fits_the_search_starts_the_flow(runtime, server, parameters, found):
    mailbox = await connect(runtime, server, "imap")
    new_mail = change("imap", "newMail", mailbox.id, **parameters)
    await publish(runtime, new_mail, change("tools", "pass", text="x"))

    server.put(message("Bill (a) 100% {5} *"), message("Grüße"), message("Bill", sender="charles@x.test"))
    server.put(message("Bill that was read", sender="charles@x.test"), flags="\\Seen")
    await poll(runtime)

    assert await subjects(runtime, len(found)) == found


@long_form
async def test_a_recreated_folder_starts_no_runs_for_existing_mail_but_for_new_mail(runtime, server):
    server.make_folder("Work")
    server.put(message("One"), folder="Work")
    await on_new_mail(runtime, server, folder="Work")
    server.put(message("Two"), folder="Work")
    assert await subjects(runtime, 1) == ["Two"]
    before = server.validity("Work")

    server.renumber("Work")
    await poll(runtime)
    server.put(message("Three"), folder="Work")
    await poll(runtime)

    assert server.validity("Work") != before
    assert await subjects(runtime, 2) == ["Two", "Three"]


@long_form
async def test_after_the_server_was_down_it_is_listened_to_again_and_nothing_is_missed(
    runtime, server, monkeypatch
):
    monkeypatch.setattr(polling, "FIRST_DELAY_SECONDS", 0.2)
    await on_new_mail(runtime, server)
    server.stop_dovecot()
    try:
        await poll(runtime)
        [failed] = await runs(runtime, 1)
    finally:
        server.start_dovecot()
    server.put(message("Back again"))

    found = await runs(runtime, 2)
    assert (await steps(runtime, failed))[0].error_details["kind"] == "Unreachable"
    assert (await steps(runtime, found[0]))[0].data_out["subject"] == "Back again"
    await listening(server)


@long_form
async def test_unpublishing_ends_the_connection_that_listens(runtime, server):
    flow = await on_new_mail(runtime, server)

    await runtime.backend.unpublish_flow(flow.id)

    await eventually(lambda: server.idling() == 0)


@long_form
async def test_folders_are_offered_and_messages_marked_and_moved(runtime, server):
    server.make_folder("Archiv & Süßes")
    mailbox = await connect(runtime, server, "imap")
    message_id = "{{step.{trigger}.id}}"
    flow = await publish(
        runtime,
        change("imap", "newMail", mailbox.id),
        change("imap", "markAsRead", mailbox.id, folder="INBOX", message=message_id),
        change(
            "imap", "moveMessage", mailbox.id, folder="INBOX", message=message_id, target="Archiv & Süßes"
        ),
    )
    options = await runtime.backend.dynamic_options(flow.steps[0].id, "listFolders", {})
    await listening(server)

    server.put(message("File me"))
    [execution] = await runs(runtime, 1)

    assert execution.state is ExecutionState.SUCCESS, [
        step.error_details for step in await steps(runtime, execution)
    ]
    assert [option.value for option in options] == ["INBOX", "Archiv & Süßes"]
    assert server.messages() == []
    assert [str(one["Subject"]) for one in server.messages(folder="Archiv & Süßes")] == ["File me"]
    assert server.seen("Archiv & Süßes")
