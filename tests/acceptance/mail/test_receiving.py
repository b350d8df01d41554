"""The imap app at a real Dovecot: new mail starts flows, within seconds."""

import asyncio
from base64 import b64decode

import pytest
from tests.support.living_flows import change, poll, publish, runs, steps
from tests.support.mail_flows import connect, eventually, listening, on_new_mail, subjects
from tests.support.mail_service import ADA, GRACE, message, needs_mail_service

from patchbay.domain.executions import ExecutionState
from patchbay.engine.starts import watches

pytestmark = needs_mail_service


async def test_new_mail_starts_a_flow_within_seconds(house, server):
    server.put(message("Known before"))
    await on_new_mail(house, server)

    await asyncio.to_thread(server.send, message("Just now"))

    assert await subjects(house, 1, seconds=5) == ["Just now"]
    assert not server.seen()


async def test_mail_that_arrived_while_patchbay_was_off_starts_the_flow_once_it_is_on(house, server):
    await on_new_mail(house, server)
    await house.engine.stop()
    server.put(message("First"), message("Second"))

    await house.engine.start()

    assert await subjects(house, 2) == ["First", "Second"]


async def test_a_message_is_told_with_all_its_parts(house, server):
    await on_new_mail(house, server, withContent=True)
    written = message("Grüße", "Hällo\n", sender=f"Jörg Müller <{GRACE}>")
    written.add_alternative("<b>Hällo</b>", subtype="html")
    written.add_attachment(b"1;2\n", maintype="text", subtype="csv", filename="größe.csv")

    await asyncio.to_thread(server.send, written)

    [execution] = await runs(house, 1)
    told = (await steps(house, execution))[0].data_out
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


async def test_attachments_are_passed_on_to_another_message(house, server):
    mailbox, account = await connect(house, server, "imap"), await connect(house, server, "smtp")
    await publish(
        house,
        change("imap", "newMail", mailbox.id, withContent=True),
        change(
            "smtp", "sendEmail", account.id,
            fromEmail=ADA, to=GRACE, subject="Fwd: {{step.{trigger}.subject}}",
            attachments=[{"name": "", "content": "{{step.{trigger}.attachments}}", "kind": "text"}],
        ),
    )  # fmt: skip
    await listening(server)
    written = message("Two files")
    for name in ("one.bin", "two.bin"):
        written.add_attachment(name.encode(), maintype="application", subtype="octet-stream", filename=name)

    await asyncio.to_thread(server.send, written)

    arrived = await asyncio.to_thread(server.arrived, "Fwd: Two files", GRACE)
    files = {part.get_filename(): part.get_content() for part in arrived.iter_attachments()}
    assert files == {"one.bin": b"one.bin", "two.bin": b"two.bin"}


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ({"subject": "(a) 100% {5} *"}, ["Bill (a) 100% {5} *"]),
        ({"subject": "rüß"}, ["Grüße"]),
        ({"from": "charles", "subject": "Bill"}, ["Bill", "Bill that was read"]),
        ({"unreadOnly": True, "from": "charles"}, ["Bill"]),
        ({"subject": 'x"\r\nA1 DELETE INBOX'}, []),
    ],
)
async def test_only_mail_that_fits_the_search_starts_the_flow(house, server, parameters, found):
    mailbox = await connect(house, server, "imap")
    new_mail = change("imap", "newMail", mailbox.id, **parameters)
    await publish(house, new_mail, change("tools", "pass", text="x"))

    server.put(message("Bill (a) 100% {5} *"), message("Grüße"), message("Bill", sender="charles@x.test"))
    server.put(message("Bill that was read", sender="charles@x.test"), flags="\\Seen")
    await poll(house)

    assert await subjects(house, len(found)) == found


async def test_a_folder_that_was_made_anew_starts_nothing_for_what_is_in_it_and_goes_on_after(house, server):
    server.make_folder("Work")
    server.put(message("One"), folder="Work")
    await on_new_mail(house, server, folder="Work")
    server.put(message("Two"), folder="Work")
    assert await subjects(house, 1) == ["Two"]
    before = server.validity("Work")

    server.renumber("Work")
    await poll(house)
    server.put(message("Three"), folder="Work")
    await poll(house)

    assert server.validity("Work") != before
    assert await subjects(house, 2) == ["Two", "Three"]


async def test_after_the_server_was_down_it_is_listened_to_again_and_nothing_is_missed(
    house, server, monkeypatch
):
    monkeypatch.setattr(watches, "FIRST_DELAY_SECONDS", 0.2)
    await on_new_mail(house, server)
    server.stop_dovecot()
    try:
        await poll(house)
        [failed] = await runs(house, 1)
    finally:
        server.start_dovecot()
    server.put(message("Back again"))

    found = await runs(house, 2)
    assert (await steps(house, failed))[0].error_details["kind"] == "Unreachable"
    assert (await steps(house, found[0]))[0].data_out["subject"] == "Back again"
    await listening(server)


async def test_unpublishing_ends_the_connection_that_listens(house, server):
    flow = await on_new_mail(house, server)

    await house.backend.unpublish_flow(flow.id)

    await eventually(lambda: server.idling() == 0)


async def test_folders_are_offered_and_messages_marked_and_moved(house, server):
    server.make_folder("Archiv & Süßes")
    mailbox = await connect(house, server, "imap")
    message_id = "{{step.{trigger}.id}}"
    flow = await publish(
        house,
        change("imap", "newMail", mailbox.id),
        change("imap", "markAsRead", mailbox.id, folder="INBOX", message=message_id),
        change(
            "imap", "moveMessage", mailbox.id, folder="INBOX", message=message_id, target="Archiv & Süßes"
        ),
    )
    options = await house.backend.dynamic_options(flow.steps[0].id, "listFolders", {})
    await listening(server)

    server.put(message("File me"))
    [execution] = await runs(house, 1)

    assert execution.state is ExecutionState.SUCCESS, [
        step.error_details for step in await steps(house, execution)
    ]
    assert [option.value for option in options] == ["INBOX", "Archiv & Süßes"]
    assert server.messages() == []
    assert [str(one["Subject"]) for one in server.messages(folder="Archiv & Süßes")] == ["File me"]
    assert server.seen("Archiv & Süßes")
