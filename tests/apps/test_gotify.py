"""Gotify: reads messages as a client, and sends them as an application."""

import pytest
from tests.support.app_calls import items_of
from tests.support.catalogue.facts import the_app
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.trial import ResponseSpec, Trial

TOKEN, CLIENT = "application-token-0123", "client-token-4567890"
EMPTY = {"error": "Bad Request", "errorCode": 400, "errorDescription": "Field 'message' is required"}


def trial(answers: dict[str, ResponseSpec], client: str = CLIENT) -> Trial:
    connection = {"screenName": "Home", "instanceUrl": "https://push.example.com/gotify", "apiKey": TOKEN}
    return Trial(the_app("gotify"), {**connection, "clientToken": client}, answers)


def messages(seen: Seen) -> Reply:
    """Five messages in pages of two."""
    since = int(dict(seen.query).get("since", 6))
    ids = [number for number in range(5, 0, -1) if number < since][:2]
    rows = [{"id": number, "appid": 3, "message": f"No. {number}"} for number in ids]
    paging = {"size": len(ids), "limit": 2, "since": ids[-1] if ids and ids[-1] > 1 else 0}
    return Reply(body={"messages": rows, "paging": paging})


async def test_messages_of_all_pages_are_read_as_a_client():
    async with third_party(messages) as service:
        data = {"instanceUrl": service.url, "apiKey": TOKEN, "clientToken": CLIENT}

        found = await items_of("gotify", "newMessage", {}, data=data)

        assert [item.internal_id for item in found] == ["5", "4", "3", "2", "1"]
        assert found[0].raw["message"] == "No. 5"
        assert {request.headers["x-gotify-key"] for request in service.seen} == {CLIENT}
        assert [dict(request.query).get("since") for request in service.seen] == [None, "4", "2"]


async def test_only_messages_of_the_chosen_application_are_read():
    tried = trial({"GET /gotify/application/3/message": (200, {"messages": [{"id": 9}], "paging": {}})})

    (item,) = await tried.trigger("newMessage", applicationId=3)

    assert item.internal_id == "9"


async def test_a_connection_without_a_client_token_cannot_read():
    tried = trial({}, client="")

    with pytest.raises(ValidationFailed) as caught:
        await tried.trigger("newMessage")

    assert "client token" in caught.value.happened
    assert tried.requests == []


async def test_both_tokens_are_verified():
    tried = trial({"POST /gotify/message": (400, EMPTY), "GET /gotify/message": (200, {"messages": []})})

    await tried.verify()

    assert [request.headers["x-gotify-key"] for request in tried.requests] == [TOKEN, CLIENT]


async def test_a_rejected_client_token_is_reported():
    tried = trial({"POST /gotify/message": (400, EMPTY), "GET /gotify/message": (401, {"errorCode": 401})})

    with pytest.raises(ThirdPartyError) as caught:
        await tried.verify()

    assert caught.value.rejects_credentials


async def test_applications_are_listed_by_name():
    tried = trial({"GET /gotify/application": (200, [{"id": 2, "name": "Web"}, {"id": 1, "name": "Backup"}])})

    options = await tried.options("listApplications")

    assert [(option.label, option.value) for option in options] == [("Backup", 1), ("Web", 2)]
    assert tried.requests[0].headers["x-gotify-key"] == CLIENT


async def test_messages_are_sent_as_the_application():
    tried = trial({"POST /gotify/message": (200, {"id": 1})})

    await tried.action("sendMessage", message="Done")

    assert tried.requests[0].headers["x-gotify-key"] == TOKEN
