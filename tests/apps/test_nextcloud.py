"""Nextcloud: files over WebDAV, against a real server on this computer."""

import base64
from typing import Any

import pytest
from tests.support.app_calls import act, built_in_action, built_in_app, context, items_of
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.app_definition import OnInterrupted
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.trial import Trial

PASSWORD = "abcde-fghij-klmno-pqrst"
FILES = "/cloud/remote.php/dav/files/ada%20l"


def connection(url: str) -> dict[str, Any]:
    return {
        "instanceUrl": f"{url}/cloud/",
        "username": "ada@example.com",
        "userId": "ada l",
        "password": PASSWORD,
    }


def row(path: str, number: int, modified: str, kind: str = "") -> str:
    return (
        f"<d:response><d:href>{FILES}{path}</d:href><d:propstat><d:prop><d:resourcetype>{kind}</d:resourcetype>"
        f"<d:getlastmodified>{modified}</d:getlastmodified><d:getetag>&quot;e{number}&quot;</d:getetag>"
        f"<d:getcontenttype>text/csv</d:getcontenttype><d:getcontentlength>12</d:getcontentlength>"
        f"<oc:fileid>{number}</oc:fileid></d:prop>"
        "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )


def listing(*rows: str) -> Reply:
    body = '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns">'
    return Reply(
        207, f"{body}{''.join(rows)}</d:multistatus>", {"Content-Type": "application/xml; charset=utf-8"}
    )


FOLDER = "<d:collection/>"
IN_FOLDER = listing(
    row("/In%20box/", 1, "Mon, 02 Mar 2026 09:00:00 GMT", FOLDER),
    row("/In%20box/old.csv", 2, "Sun, 01 Mar 2026 08:00:00 GMT"),
    row("/In%20box/n%C3%A9w.csv", 3, "Mon, 02 Mar 2026 08:00:00 GMT"),
    row("/In%20box/archive/", 4, "Mon, 02 Mar 2026 08:30:00 GMT", FOLDER),
)


async def test_files_in_a_folder_are_listed_newest_first():
    async with third_party(IN_FOLDER) as server:
        found = await items_of("nextcloud", "newFile", {"folder": "/In box"}, data=connection(server.url))

        assert [item.internal_id for item in found] == ["3", "2"]
        assert found[0].raw == {
            "id": "3",
            "name": "néw.csv",
            "path": "/In box/néw.csv",
            "isFolder": False,
            "contentType": "text/csv",
            "size": 12,
            "modified": "2026-03-02T08:00:00+00:00",
            "etag": "e3",
        }
        request = server.seen[0]
        assert (request.method, request.path) == ("PROPFIND", f"{FILES}/In%20box/")
        assert request.headers["depth"] == "1"
        login = base64.b64encode(f"ada@example.com:{PASSWORD}".encode()).decode()
        assert request.headers["authorization"] == f"Basic {login}"


async def test_a_moved_file_is_new_although_its_date_is_old():
    async def find_seen(ids: tuple[str, ...]) -> frozenset[str]:
        return frozenset(ids) & {"3"}

    async with third_party(IN_FOLDER) as server:
        found = await items_of(
            "nextcloud",
            "newFile",
            {"folder": "In box/"},
            data=connection(server.url),
            known_ids=frozenset({"3"}),
            find_seen_ids=find_seen,
        )

        assert [item.internal_id for item in found] == ["2"]


@pytest.mark.parametrize(
    "odd",
    [
        row("/odd.csv", 5, "Mon, 01 Jan 0001 00:00:00 +2359"),
        row("/odd.csv", 5, "Fri, 31 Dec 9999 23:59:59 -2359"),
        row("/odd.csv", 5, "Mon, 99 Foo 2026 99:99:99 +99999999999999999999"),
        row("/odd.csv", 5, "").replace(">12<", f">{'9' * 5_000}<"),
        row("/odd.csv", 5, "").replace(">12<", ">-1<"),
        row("/odd.csv", 5, "").replace(FILES, "http://[cloud" + FILES),
        row("/odd.csv", 5, "").replace(FILES, ""),
        row("/%00%FF%2F..", 5, ""),
        "<d:response/>",
    ],
)
async def test_odd_values_of_one_file_leave_the_others_alone(odd):
    usual = row("/usual.csv", 7, "Mon, 02 Mar 2026 08:00:00 GMT")

    async with third_party(listing(odd, usual)) as server:
        found = await items_of("nextcloud", "newFile", {"folder": "/"}, data=connection(server.url))

    assert "7" in [item.internal_id for item in found]


async def test_a_large_folder_is_read():
    rows = [row(f"/f{number}.csv", number, "Mon, 02 Mar 2026 08:00:00 GMT") for number in range(1, 501)]
    async with third_party(listing(row("/", 900, "", FOLDER), *rows)) as server:
        found = await items_of("nextcloud", "newFile", {"folder": "/"}, data=connection(server.url))

        assert {item.internal_id for item in found} == {str(number) for number in range(1, 501)}


@pytest.mark.parametrize("reply", [Reply(200, "<html></html>"), Reply(207, "<broken")])
async def test_another_response_is_an_error(reply):
    async with third_party(reply) as server:
        with pytest.raises(ThirdPartyError):
            await items_of("nextcloud", "newFile", {"folder": "/"}, data=connection(server.url))


async def test_a_path_cannot_leave_the_users_files():
    async with third_party(IN_FOLDER) as server:
        with pytest.raises(ValidationFailed):
            await items_of("nextcloud", "newFile", {"folder": "/../bob"}, data=connection(server.url))

        assert server.seen == []


CREATED = Reply(201, None, {"OC-FileId": "00000042ocabc", "ETag": '"e42"'})


async def test_a_file_is_uploaded_without_replacing_another():
    async with third_party(CREATED) as server:
        file = {"name": "é.pdf", "contentType": "application/pdf", "size": 3, "base64": "AAH/"}

        output = await act(
            "nextcloud", "uploadFile", {"folder": "/In box", "file": file}, data=connection(server.url)
        )

        assert output == {"id": "42", "path": "/In box/é.pdf", "etag": "e42", "created": True}
        (request,) = server.seen
        assert (request.method, request.path) == ("PUT", f"{FILES}/In%20box/%C3%A9.pdf")
        assert request.body == b"\x00\x01\xff"
        assert request.headers["content-type"] == "application/pdf"
        assert request.headers["if-none-match"] == "*"


async def test_missing_folders_are_created_one_after_the_other():
    def answer(seen: Seen) -> Reply:
        if seen.method == "MKCOL":
            return Reply(405 if seen.path == f"{FILES}/a" else 201)
        return CREATED

    async with third_party(answer) as server:
        given = {
            "folder": "/a/b",
            "file": "text",
            "fileName": "n.txt",
            "createFolders": True,
            "overwrite": True,
        }

        await act("nextcloud", "uploadFile", given, data=connection(server.url))

        lines = [(request.method, request.path.removeprefix(FILES)) for request in server.seen]
        assert lines == [("MKCOL", "/a"), ("MKCOL", "/a/b"), ("PUT", "/a/b/n.txt")]
        assert server.seen[2].body == b"text"
        assert "if-none-match" not in server.seen[2].headers


async def test_an_existing_file_makes_the_step_fail():
    async with third_party(Reply(412)) as server:
        given = {"folder": "/", "file": "text", "fileName": "n.txt"}

        with pytest.raises(ThirdPartyError) as caught:
            await act("nextcloud", "uploadFile", given, data=connection(server.url))

        assert caught.value.status == 412


@pytest.mark.parametrize(("overwrite", "policy"), [(True, OnInterrupted.REPEAT), (False, OnInterrupted.ASK)])
def test_an_interrupted_upload_is_repeated_only_if_it_replaces_files(overwrite, policy):
    action = built_in_action("nextcloud", "uploadFile")

    assert action.interruption_policy({"overwrite": overwrite}) is policy


async def test_folders_are_listed_by_path():
    async with third_party(
        listing(
            row("/", 1, "", FOLDER),
            row("/b/", 2, "", FOLDER),
            row("/a.txt", 3, ""),
            row("/A%20c/", 4, "", FOLDER),
        )
    ) as server:
        (list_folders,) = built_in_app("nextcloud").dynamic_data
        factory = HttpFactory(timeout=PATIENCE)
        try:
            options = await list_folders.load(
                context("nextcloud", {}, data=connection(server.url), http_factory=factory)
            )
        finally:
            await factory.aclose()

        assert [option.value for option in options] == ["/", "/A c", "/b"]


async def test_a_connection_knows_the_id_of_its_user():
    user = {"ocs": {"meta": {"status": "ok"}, "data": {"id": "ada l", "displayname": "Ada"}}}
    answers = {"GET /cloud/ocs/v2.php/cloud/user": (200, user)}
    tried = Trial(built_in_app("nextcloud"), connection("https://example.com") | {"userId": ""}, answers)

    await tried.verify()

    assert await tried.still_verified() is True
    assert (tried.data["userId"], tried.data["accountId"]) == ("ada l", "ada l")
    assert tried.requests[0].headers["ocs-apirequest"] == "true"
