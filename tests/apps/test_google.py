"""The apps for Google's services, beyond their contract: accounts, searches, replies, and rows."""

from base64 import urlsafe_b64decode
from email import message_from_bytes, policy
from importlib import import_module

import pytest
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.apps.gmail.reading import readable
from patchbay.apps.gmail.triggers import MAX_EMAILS
from patchbay.apps.gmail.writing import encode
from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.context import collect_items
from patchbay.integration.google import MY_DRIVE, drive_query, drive_text, google_account, list_drives
from patchbay.integration.templates import find_value
from patchbay.integration.trial import Trial

gmail = import_module("patchbay.apps.gmail").app
sheets = import_module("patchbay.apps.google-sheets").app
tasks = import_module("patchbay.apps.google-tasks").app
SIGNED_IN = {"accessToken": "sample-token", "userId": "me"}


async def test_a_connection_is_named_after_the_main_address_of_the_account():
    async with calling(SimulatedService("gmail")) as ctx:
        account = await google_account(ctx)

    assert account == {"screenName": "Ada Lovelace - ada@example.com", "accountId": "people/108172635"}


async def test_an_account_without_a_name_is_named_after_its_address():
    person = {"resourceName": "people/1", "emailAddresses": [{"value": "ada@example.com"}]}

    async with Trial(gmail, SIGNED_IN, {"GET /v1/people/me": (200, person)}).context({}) as ctx:
        assert (await google_account(ctx))["screenName"] == "ada@example.com"


async def test_a_response_without_an_account_is_an_error():
    async with Trial(gmail, SIGNED_IN, {"GET /v1/people/me": (200, {})}).context({}) as ctx:
        with pytest.raises(ThirdPartyError):
            await google_account(ctx)


async def test_my_drive_can_be_chosen_beside_the_shared_drives():
    async with calling(SimulatedService("google-drive")) as ctx:
        options = await list_drives.load(ctx)

    assert [option.label for option in options] == ["My Drive", "Sales", "Team"]


def test_a_search_in_my_drive_names_no_drive_and_one_in_a_shared_drive_does():
    query = drive_query("trashed = false")

    assert "driveId" not in query({}) | query({"driveId": MY_DRIVE})
    assert query({"driveId": "0AB"})["driveId"] == "0AB"


def test_a_value_cannot_leave_its_text_in_a_search():
    assert drive_text(r"a' or '\b") == r"'a\' or \'\\b'"


# Gmail


def decoded(raw: str):
    return message_from_bytes(urlsafe_b64decode(raw), policy=policy.default)


def test_a_message_has_all_recipients_and_the_signature_as_text():
    message = decoded(
        encode(
            {
                "tos": [{"to": "grace@example.com"}, {"to": "Alan <alan@example.com>"}, {"to": ""}],
                "bccs": [{"bcc": "edsger@example.com"}],
                "from": "ada@example.com",
                "fromName": "Ada",
                "subject": "Grüße\r\nX-Injected: yes",
                "emailBody": "Hello",
                "signature": "<div>Ada &amp; Co.<br>Tel. 1</div>",
            },
            {},
        )
    )

    assert message["To"] == "grace@example.com, Alan <alan@example.com>"
    assert (message["From"], message["Bcc"]) == ("Ada <ada@example.com>", "edsger@example.com")
    assert (message["Subject"], message["X-Injected"]) == ("Grüße X-Injected: yes", None)
    assert message.get_content().split() == ["Hello", "Ada", "&", "Co.", "Tel.", "1"]


def test_an_html_message_keeps_the_signature_as_html():
    message = decoded(encode({"bodyType": "html", "emailBody": "<p>Hi</p>", "signature": "<i>Ada</i>"}, {}))

    assert message.get_content_type() == "text/html"
    assert "<p>Hi</p><br><br><i>Ada</i>" in message.get_content()


def test_a_reply_belongs_to_the_thread_and_goes_to_the_sender():
    original: JsonObject = {
        "subject": "Lunch",
        "from": "Grace <grace@example.com>",
        "message-id": "<2@example.com>",
        "references": "<1@example.com>",
    }

    message = decoded(encode({"emailBody": "Yes"}, original))

    assert (message["Subject"], message["To"]) == ("Re: Lunch", "Grace <grace@example.com>")
    assert message["In-Reply-To"] == "<2@example.com>"
    assert message["References"].split() == ["<1@example.com>", "<2@example.com>"]


def test_a_reply_to_a_reply_keeps_its_subject():
    assert decoded(encode({"emailBody": "Yes"}, {"subject": "RE: Lunch"}))["Subject"] == "RE: Lunch"


def test_an_invalid_address_is_reported():
    with pytest.raises(ValidationFailed, match="isn't an email address"):
        encode({"tos": [{"to": "grace"}], "emailBody": "Hello"}, {})


async def test_a_reply_in_a_thread_of_own_mail_goes_to_its_recipient():
    headers = [{"name": "From", "value": "ada@example.com"}, {"name": "To", "value": "grace@example.com"}]
    thread = {"messages": [{"id": "1", "labelIds": ["SENT"], "payload": {"headers": headers}}]}
    trial = Trial(
        gmail,
        SIGNED_IN,
        {
            "GET /gmail/v1/users/me/threads/t1": (200, thread),
            "POST /gmail/v1/users/me/messages/send": (200, {"id": "2"}),
        },
    )

    await trial.action("replyToEmail", threadId="t1", emailBody="One more thing")

    sent = trial.requests[-1].json
    assert sent["threadId"] == "t1"
    assert decoded(sent["raw"])["To"] == "grace@example.com"


def test_a_message_that_cannot_be_decoded_has_no_text():
    part = {"mimeType": "text/plain", "body": {"data": "*"}}

    assert readable({"id": "1", "payload": part})["text"] == ""


def test_a_message_is_readable():
    found = readable(MESSAGE)

    assert (found["subject"], found["from"], found["text"]) == ("Hi", "ada@example.com", "Hello")
    assert found["attachments"] == [
        {"fileName": "plan.pdf", "mimeType": "application/pdf", "size": 3, "attachmentId": "a1"}
    ]


MESSAGE = {
    "id": "1",
    "payload": {
        "headers": [{"name": "Subject", "value": "Hi"}, {"name": "From", "value": "ada@example.com"}],
        "parts": [
            {"mimeType": "text/plain", "body": {"data": "SGVsbG8"}},
            {
                "mimeType": "application/pdf",
                "filename": "plan.pdf",
                "body": {"attachmentId": "a1", "size": 3},
            },
        ],
    },
}


def mailbox(count: int) -> Trial:
    rows = [{"id": f"m{number}"} for number in range(count)]
    answers = {f"GET /gmail/v1/users/me/messages/{row['id']}": (200, MESSAGE | row) for row in rows}
    return Trial(gmail, SIGNED_IN, {**answers, "GET /gmail/v1/users/me/messages": (200, {"messages": rows})})


async def new_emails(trial: Trial, known: frozenset[str]):
    async def find_seen(internal_ids):
        return frozenset(internal_ids) & known

    async with trial.context({}) as ctx:
        ctx.known_ids, ctx.find_seen_ids = known, find_seen
        return await collect_items(gmail.triggers[0].run, ctx), ctx.has_more_items


async def test_of_a_large_mailbox_only_the_newest_messages_are_read_at_first():
    trial = mailbox(MAX_EMAILS + 5)

    items, has_more = await new_emails(trial, frozenset())

    assert [item.internal_id for item in items] == [f"m{number}" for number in range(MAX_EMAILS + 5)]
    assert len([item for item in items if item.starts]) == MAX_EMAILS
    assert len(trial.requests) == MAX_EMAILS + 1
    assert not has_more


async def test_many_new_messages_are_read_in_several_polls():
    items, has_more = await new_emails(mailbox(MAX_EMAILS + 5), frozenset({f"m{MAX_EMAILS + 4}"}))

    assert len([item for item in items if item.starts]) == MAX_EMAILS
    assert has_more


async def test_known_messages_are_not_read_again():
    trial = mailbox(3)

    items, _ = await new_emails(trial, frozenset({"m1", "m2"}))

    assert [item.internal_id for item in items] == ["m0"]
    assert len(trial.requests) == 2


# Google Sheets


def spreadsheet(*titles: str):
    return {
        "sheets": [{"properties": {"sheetId": index, "title": title}} for index, title in enumerate(titles)]
    }


async def test_a_row_is_appended_by_the_position_of_its_columns():
    trial = Trial(
        sheets,
        SIGNED_IN,
        {"GET /v4/spreadsheets/s1": (200, spreadsheet("Sheet1", "Ada's list"))},
        otherwise=(200, {"updates": {}}),
    )

    cells: JsonObject = {"header-10": "last", "header-0": "Ada", "header-2": 36}
    await trial.action("createSpreadsheetRow", spreadsheetId="s1", worksheetId="1", **cells)

    assert trial.requests[-1].path == "/v4/spreadsheets/s1/values/'Ada''s list':append"
    assert trial.requests[-1].json["values"] == [["Ada", "", 36, "", "", "", "", "", "", "", "last"]]
    assert trial.requests[-1].json["range"] == "'Ada''s list'"


async def test_rows_are_identified_by_their_position_and_empty_ones_are_left_out():
    async with calling(SimulatedService("google-sheets"), {"spreadsheetId": "s1", "worksheetId": "0"}) as ctx:
        trigger = next(one for one in sheets.triggers if one.key == "newSpreadsheetRows")
        items = await collect_items(trigger.run, ctx)

    assert [item.internal_id for item in items] == ["3", "1"]
    assert items[0].raw == {
        "row": ["Grace", "", "85"],
        "rowNumber": 4,
        "values": {"Name": "Grace", "Age": "85"},
    }


@pytest.mark.parametrize(
    ("overwrite", "kinds"), [("true", ["updateCells", "updateCells"]), ("false", ["addSheet", "updateCells"])]
)
async def test_an_existing_worksheet_is_only_emptied_if_it_may_be_overwritten(overwrite, kinds):
    trial = Trial(
        sheets,
        SIGNED_IN,
        {"GET /v4/spreadsheets/s1": (200, spreadsheet("Report"))},
        otherwise=(200, {"replies": [{}]}),
    )

    await trial.action(
        "createWorksheet",
        spreadsheetId="s1",
        title="Report",
        headers=[{"header": "Name"}],
        overwrite=overwrite,
    )

    assert [next(iter(request)) for request in trial.requests[-1].json["requests"]] == kinds


async def test_a_worksheet_that_is_missing_is_only_created_on_request():
    trial = Trial(sheets, SIGNED_IN, {"GET /v4/spreadsheets/s1": (200, spreadsheet("Report"))})

    assert await trial.action("findWorksheet", spreadsheetId="s1", title="Other") is None
    assert [request.method for request in trial.requests] == ["GET"]


# Google Tasks


@pytest.mark.parametrize(
    ("entered", "sent"),
    [("2026-03-31", "2026-03-31T00:00:00.000Z"), ("2026-03-31T12:00:00Z", "2026-03-31T12:00:00Z")],
)
async def test_a_due_date_is_sent_with_a_time(entered, sent):
    trial = Trial(tasks, SIGNED_IN, otherwise=(200, {"id": "1"}))

    await trial.action("createTask", taskListId="l1", title="Tea", due=entered)

    assert trial.requests[-1].json == {"title": "Tea", "due": sent}


async def test_a_task_is_found_by_a_part_of_its_title_on_any_page():
    async with calling(SimulatedService("google-tasks"), {"taskListId": "l1", "title": "tea"}) as ctx:
        await next(action for action in tasks.actions if action.key == "findTask").run(ctx)

        assert find_value(ctx.action_output, "id") == "task-3"
