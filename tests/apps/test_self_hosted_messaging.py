"""Gotify, Matrix, and Mastodon send the requests that their servers document."""

import json

import pytest
from tests.support.catalogue.facts import the_app

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.trial import ResponseSpec, Trial

TOKEN = "secret-token-0123456789"
CONNECTION = {"screenName": "Home", "instanceUrl": "https://chat.example.com/", "apiKey": TOKEN}
ROOM, MESSAGES = "!abc:example.com", "/_matrix/client/v3/rooms/!abc:example.com/messages"


def _trial(key: str, answers: dict[str, ResponseSpec]) -> Trial:
    return Trial(the_app(key), CONNECTION, answers)


EMPTY = {"error": "Bad Request", "errorCode": 400, "errorDescription": "Field 'message' is required"}


async def test_gotify_accepts_a_token_without_sending_a_message():
    trial = _trial("gotify", {"POST /message": (400, EMPTY)})

    await trial.verify()

    assert await trial.still_verified() is True
    assert trial.requests[0].headers["x-gotify-key"] == TOKEN
    assert trial.requests[0].json == {}
    assert trial.data["screenName"] == "Home"


@pytest.mark.parametrize("found", [(401, {"errorDescription": "Invalid token"}), (200, {}), (400, {"a": 1})])
async def test_gotify_reports_a_rejected_token_and_other_servers(found):
    trial = _trial("gotify", {"POST /message": found})

    with pytest.raises(ThirdPartyError) as caught:
        await trial.verify()

    assert caught.value.rejects_credentials is (found[0] == 401)


async def test_gotify_sends_a_message_with_a_link():
    trial = _trial("gotify", {"POST /message": (200, {"id": 25})})

    output = await trial.action(
        "sendMessage", message="Done", priority="5", markdown=True, click="https://example.com"
    )

    assert output == {"id": 25}
    assert trial.requests[0].json == {
        "message": "Done",
        "priority": 5,
        "extras": {
            "client::display": {"contentType": "text/markdown"},
            "client::notification": {"click": {"url": "https://example.com"}},
        },
    }


async def test_matrix_names_the_connection_after_the_account():
    trial = _trial(
        "matrix", {"GET /_matrix/client/v3/account/whoami": (200, {"user_id": "@bot:example.com"})}
    )

    await trial.verify()

    assert trial.data["screenName"] == "@bot:example.com"
    assert trial.requests[0].headers["authorization"] == f"Bearer {TOKEN}"


async def test_matrix_sends_a_message_once_however_often_it_is_repeated():
    path = f"/_matrix/client/v3/rooms/{ROOM}/send/m.room.message/trial:1"
    trial = _trial("matrix", {f"PUT {path}": (200, {"event_id": "$1"})})

    output = await trial.action("sendMessage", roomId=ROOM, message="Hi", html="<b>Hi</b>")

    assert output == {"event_id": "$1"}
    assert trial.requests[0].json == {
        "msgtype": "m.text",
        "body": "Hi",
        "format": "org.matrix.custom.html",
        "formatted_body": "<b>Hi</b>",
    }


@pytest.mark.parametrize(("own", "left_out"), [(False, ["@bot:example.com"]), (True, None)])
async def test_matrix_starts_for_messages_of_others(own, left_out):
    rows = [
        {"event_id": "$2", "content": {"body": "Newer"}},
        {"event_id": "$1", "content": {"body": "Older"}},
    ]
    trial = _trial("matrix", {f"GET {MESSAGES}": (200, {"chunk": rows, "start": "t2"})})
    trial.data["userId"] = "@bot:example.com"

    items = await trial.trigger("newMessage", roomId=ROOM, ownMessages=own)

    assert [item.internal_id for item in items] == ["$2", "$1"]
    sent = json.loads(trial.requests[0].query["filter"])
    assert sent["types"] == ["m.room.message"]
    assert sent.get("not_senders") == left_out


async def test_matrix_lists_rooms_by_name():
    def named(kind: str, **content: str) -> dict:
        return {"state": {"events": [{"type": kind, "content": content}]}}

    rooms = {
        "!a:x": named("m.room.name", name="Team"),
        "!b:x": named("m.room.canonical_alias", alias="#ops:x"),
        "!c:x": {"timeline": {"events": []}},
    }
    trial = _trial("matrix", {"GET /_matrix/client/v3/sync": (200, {"rooms": {"join": rooms}})})

    options = await trial.options("listRooms")

    assert [(option.label, option.value) for option in options] == [
        ("!c:x", "!c:x"),
        ("#ops:x", "!b:x"),
        ("Team", "!a:x"),
    ]


async def test_mastodon_posts_once_however_often_it_is_repeated():
    trial = _trial("mastodon", {"POST /api/v1/statuses": (200, {"id": "103254962155278888"})})

    await trial.action("createPost", text="Hello", visibility="unlisted", spoilerText="")

    assert trial.requests[0].json == {"status": "Hello", "visibility": "unlisted"}
    assert trial.requests[0].headers["idempotency-key"] == "trial:1"


async def test_mastodon_starts_for_mentions():
    mentions = [{"id": "34975861", "type": "mention", "status": {"id": "1"}}]
    trial = _trial("mastodon", {"GET /api/v1/notifications": (200, mentions)})

    items = await trial.trigger("newMention")

    assert [(item.internal_id, item.raw) for item in items] == [("34975861", mentions[0])]
    assert trial.requests[0].query == {"types[]": "mention", "limit": "40"}


async def test_mastodon_names_the_connection_after_the_account():
    account = {"id": "14715", "acct": "ada", "username": "ada"}
    trial = _trial("mastodon", {"GET /api/v1/accounts/verify_credentials": (200, account)})

    await trial.verify()

    assert trial.data["screenName"] == "@ada @ https://chat.example.com/"
    assert trial.data["accountId"] == "14715"
