"""Paperless-ngx: documents, pages, and uploads, against a real server on this computer."""

import base64
import json
from email import message_from_bytes
from email.message import Message
from typing import Any

import pytest
from tests.support.app_calls import act, built_in_app, items_of
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.trial import Trial

TOKEN = "0123456789abcdef0123456789abcdef"
PDF = b"%PDF-1.7 \x00\xff"
FILE = {
    "name": "scan.pdf",
    "contentType": "application/pdf",
    "size": 10,
    "base64": base64.b64encode(PDF).decode(),
}
TASK = "5f4dcc3b-5aa7-65d6-1d83-27deb882cf99"


def connection(url: str) -> dict[str, Any]:
    return {"screenName": "Archive", "instanceUrl": url, "apiKey": TOKEN}


def documents(seen: Seen) -> Reply:
    """250 documents; the addresses of pages are those behind a proxy, as many servers send them."""
    page = int(dict(seen.query)["page"])
    if page > 3:
        return Reply(404, {"detail": "Invalid page."})
    rows = [{"id": number} for number in range(250 - (page - 1) * 100, max(0, 250 - page * 100), -1)]
    following = f"http://localhost:8000/api/documents/?page={page + 1}" if page < 3 else None
    return Reply(body={"count": 250, "next": following, "results": rows})


def parts(seen: Seen) -> list[Message]:
    head = f"Content-Type: {seen.headers['content-type']}\r\n\r\n".encode()
    found = message_from_bytes(head + seen.body).get_payload()
    return [part for part in found if isinstance(part, Message)]


def name_of(part: Message) -> Any:
    return part.get_param("name", header="content-disposition")


async def test_documents_of_all_pages_are_read_from_the_connections_server():
    async with third_party(documents) as server:
        found = await items_of("paperless-ngx", "newDocument", {}, data=connection(server.url))

        assert [int(item.internal_id) for item in found] == list(range(250, 0, -1))
        assert [dict(request.query)["page"] for request in server.seen] == ["1", "2", "3"]
        first = server.seen[0]
        assert dict(first.query)["ordering"] == "-added"
        assert first.headers["authorization"] == f"Token {TOKEN}"
        assert first.headers["accept"] == "application/json; version=9"


async def test_documents_are_filtered_by_the_server():
    async with third_party(Reply(body={"next": None, "results": []})) as server:
        chosen = {"tagId": 3, "correspondentId": 4, "documentTypeId": 5}

        await items_of("paperless-ngx", "newDocument", chosen, data=connection(server.url))

        query = dict(server.seen[0].query)
        names = ("tags__id__all", "correspondent__id", "document_type__id")
        assert [query[name] for name in names] == ["3", "4", "5"]


async def test_a_document_is_uploaded_with_its_metadata():
    async with third_party(Reply(body=json.dumps(TASK))) as server:
        given = {"document": FILE, "title": "Invoice", "correspondentId": 7, "tagIds": "1, 2"}

        output = await act("paperless-ngx", "uploadDocument", given, data=connection(server.url))

        assert output == {"taskId": TASK}
        assert (server.seen[0].method, server.seen[0].path) == ("POST", "/api/documents/post_document/")
        *fields, file = parts(server.seen[0])
        values = [(name_of(part), part.get_payload(decode=True)) for part in fields]
        assert values == [("title", b"Invoice"), ("correspondent", b"7"), ("tags", b"1"), ("tags", b"2")]
        assert (name_of(file), file.get_filename()) == ("document", "scan.pdf")
        assert file.get_content_type() == "application/pdf"
        assert PDF in server.seen[0].body


@pytest.mark.parametrize("document", ["", [FILE, FILE], "not base64!"])
async def test_an_upload_needs_one_file(document):
    async with third_party(Reply(body=json.dumps(TASK))) as server:
        with pytest.raises(ValidationFailed) as caught:
            await act("paperless-ngx", "uploadDocument", {"document": document}, data=connection(server.url))

        assert list(caught.value.by_field) == ["document"]
        assert server.seen == []


async def test_a_connection_is_verified_with_the_token():
    answers = {"GET /api/documents/": (200, {"count": 0, "next": None, "results": []})}
    tried = Trial(built_in_app("paperless-ngx"), connection("https://paperless.example.com"), answers)

    await tried.verify()

    assert await tried.still_verified() is True
    assert tried.data["screenName"] == "Archive"


async def test_a_rejected_token_is_reported():
    answers = {"GET /api/documents/": (401, {"detail": "Invalid token."})}
    tried = Trial(built_in_app("paperless-ngx"), connection("https://paperless.example.com"), answers)

    with pytest.raises(ThirdPartyError) as caught:
        await tried.verify()

    assert caught.value.rejects_credentials


@pytest.mark.parametrize(
    ("loader", "path"),
    [
        ("listTags", "/api/tags/"),
        ("listCorrespondents", "/api/correspondents/"),
        ("listDocumentTypes", "/api/document_types/"),
    ],
)
async def test_lists_are_sorted_by_name(loader, path):
    rows = [{"id": 2, "name": "Tax"}, {"id": 1, "name": "bank"}]
    answers = {f"GET {path}": (200, {"next": None, "results": rows})}
    tried = Trial(built_in_app("paperless-ngx"), connection("https://paperless.example.com"), answers)

    options = await tried.options(loader)

    assert [option.label for option in options] == ["bank", "Tax"]
