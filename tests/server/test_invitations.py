"""Invitations over HTTP, and the page where invited people come in."""

import re
from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.support import patient

from patchbay.domain.audit_log import ActorKind, AuditFilter
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import EDITOR, VIEWER
from patchbay.server.app import create_app
from patchbay.server.authentication import MAX_WRONG_KEYS

PAGE = "/accept-invitation"
EVE = {"fullName": "Eve <b>Adams</b>", "email": "Eve@example.org", "roleId": VIEWER.id}


async def invited(caller) -> str:
    """The token of a fresh invitation."""
    answer = await caller.post("/v1/user-invitations", json=EVE)
    return answer.json()["data"]["acceptInvitationUrl"].partition("?token=")[2]


def key_on(page: str) -> str:
    [key] = re.findall(r'id="key">([0-9a-f]{96})<', page)
    return key


@pytest.mark.parametrize("before", ["", "/v1"])
async def test_invitations_answer_with_and_without_v1(caller, before):
    made = await caller.post(f"{before}/user-invitations", json=EVE)
    listed = (await caller.get(f"{before}/user-invitations")).json()
    withdrawn = await caller.delete(f"{before}/user-invitations/{made.json()['data']['id']}")

    person = made.json()["data"]
    assert (made.status_code, made.json()["meta"]["type"]) == (201, "User")
    assert (person["email"], person["status"]) == ("eve@example.org", "invited")
    assert "/accept-invitation?token=" in person["acceptInvitationUrl"]
    assert listed["meta"] | {"type": "User", "count": 1, "currentPage": 1, "totalPages": 1} == listed["meta"]
    assert listed["data"][0]["acceptInvitationUrl"] is None
    assert listed["data"][0]["role"]["id"] == VIEWER.id
    assert (withdrawn.status_code, withdrawn.content) == (204, b"")
    assert (await caller.get(f"{before}/user-invitations")).json()["data"] == []


async def test_invitations_come_by_name_ten_at_a_time(caller):
    for number in range(12):
        body = {"fullName": f"P{number:02}", "email": f"p{number}@example.org", "roleId": EDITOR.id}
        await caller.post("/v1/user-invitations", json=body)

    second = (await caller.get("/v1/user-invitations?page=2")).json()

    assert [person["fullName"] for person in second["data"]] == ["P10", "P11"]
    assert (second["meta"]["count"], second["meta"]["totalPages"]) == (12, 2)


async def test_what_is_missing_or_ill_typed_is_422_and_names_its_field(caller):
    wrong: dict[str, Any] = {
        "roleId": (None, 7, str(uuid4()), "nonsense"),
        "email": (None, 12, "nonsense"),
        "fullName": (None, " ", {}),
    }

    for field, values in wrong.items():
        for body in ({k: v for k, v in EVE.items() if k != field}, *({**EVE, field: it} for it in values)):
            answer = await caller.post("/user-invitations", json=body)

            assert (answer.status_code, list(answer.json()["errors"])) == (422, [field]), body


async def test_a_members_address_is_taken_and_not_listed_as_an_invitation(runtime, caller):
    dana = await runtime.backend.create_user("Dana", "eve@example.org")

    refused = await caller.post("/v1/user-invitations", json=EVE)
    removed = await caller.delete(f"/v1/user-invitations/{dana.id}")

    assert (refused.status_code, refused.json()["meta"]["type"]) == (422, "UniqueViolationError")
    assert removed.status_code == 404


async def test_the_page_says_who_is_invited_to_what_and_uses_nothing_up(caller, stranger):
    token = await invited(caller)

    pages = [await stranger.get(PAGE, params={"token": token}) for _ in range(2)]
    head = await stranger.head(PAGE, params={"token": token})

    assert {page.status_code for page in pages} | {head.status_code} == {200}
    for words in ("Welcome, Eve &lt;b&gt;Adams&lt;/b&gt;", "eve@example.org", "Viewer", f'value="{token}"'):
        assert words in pages[1].text


async def test_the_page_is_kept_nowhere_loads_nothing_and_hides_its_token(caller, stranger):
    page = await stranger.get(PAGE, params={"token": await invited(caller)})

    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2]
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "history.replaceState(null, '', location.pathname)" in page.text
    assert not re.search(r"src=|href=|url\(|@import", page.text)


async def test_coming_in_shows_a_key_that_works_and_how_to_use_it(runtime, caller, stranger, service):
    token = await invited(caller)

    page = await stranger.post(PAGE, data={"token": token})

    assert page.status_code == 200
    assert service.base_url in page.text
    assert page.headers["cache-control"] == "no-store"
    answer = await stranger.get("/v1/flows", headers={"x-api-token": key_on(page.text)})
    assert answer.status_code == 200
    refused = await stranger.delete(f"/v1/flows/{uuid4()}", headers={"x-api-token": key_on(page.text)})
    assert refused.status_code == 403
    entry = (await runtime.backend.audit_log(AuditFilter(), PageRequest())).items[0]
    assert (entry.actor.kind, entry.actor.address) == (ActorKind.INVITATION, "127.0.0.1")


async def test_the_address_on_the_page_is_the_public_one_where_that_was_followed(runtime, caller, stranger):
    token = await invited(caller)
    host = str(stranger.base_url.host) + f":{stranger.base_url.port}"
    runtime.address[0] = f"https://{host}/flows"

    page = await stranger.post(PAGE, data={"token": token})

    assert f">https://{host}/flows<" in page.text


async def test_a_link_lets_one_in_once(caller, stranger):
    token = await invited(caller)
    await stranger.post(PAGE, data={"token": token})

    again = [await stranger.post(PAGE, data={"token": token}), await stranger.get(f"{PAGE}?token={token}")]

    assert [page.status_code for page in again] == [404, 404]
    assert all("is no longer valid" in page.text and 'id="key"' not in page.text for page in again)


async def test_an_invalid_link_shows_an_error_page(stranger):
    for token in ("", "x", "0" * 15_000, "<script>", "\x00"):
        seen = await stranger.get(PAGE, params={"token": token})
        sent = await stranger.post(PAGE, data={"token": token})
        for page in (seen, sent):
            assert page.status_code == 404
            assert page.headers["content-type"].startswith("text/html")
            assert page.text.count("<script>") == 1


async def test_a_link_that_has_run_out_says_so(runtime, caller, stranger):
    token = await invited(caller)
    runtime.clock.now = (await runtime.backend.list_invitations())[0].expires_at

    page = await stranger.get(PAGE, params={"token": token})

    assert page.status_code == 404
    assert "has expired" in page.text


async def test_malformed_forms_accept_no_invitation(stranger):
    for kind in ("application/json", "application/x-www-form-urlencoded", "text/plain"):
        for body in (b"", b"[]", b"token", b"\xff", b'{"token": 5}', b'{"token": ["x"]}'):
            page = await stranger.post(PAGE, content=body, headers={"content-type": kind})

            assert page.status_code in (400, 404, 415), (kind, body)
            assert page.content


async def test_other_ways_to_ask_are_not_taken(caller, stranger):
    token = await invited(caller)

    for method in ("PUT", "DELETE", "PATCH"):
        assert (await stranger.request(method, PAGE, params={"token": token})).status_code == 405
    assert (await stranger.get(PAGE, params={"token": token})).status_code == 200


async def test_who_guesses_links_has_to_wait_and_a_right_one_still_works(caller, stranger):
    token = await invited(caller)
    for number in range(MAX_WRONG_KEYS):
        assert (await stranger.get(PAGE, params={"token": f"{number:064}"})).status_code == 404

    refused = await stranger.get(PAGE, params={"token": "1" * 64})
    let_in = await stranger.post(PAGE, data={"token": token})

    assert (refused.status_code, let_in.status_code) == (429, 200)
    assert int(refused.headers["retry-after"]) > 0
    assert "Try again later" in refused.text


@pytest.mark.parametrize("announced", [True, False])
async def test_more_than_the_form_needs_is_refused(caller, stranger, announced):
    async def much():
        for _ in range(64):
            yield b"a" * 16 * 1024

    token = await invited(caller)
    headers = {"content-type": "application/x-www-form-urlencoded"}
    length = {"content-length": str(1024 * 1024)} if announced else {}
    refused = await stranger.post(PAGE, content=much(), headers=headers | length)
    let_in = await stranger.post(PAGE, data={"token": token, "more": "a" * 15_000})

    assert (refused.status_code, refused.headers["connection"]) == (413, "close")
    assert "16 KB" in refused.json()["errors"]["general"][0]
    assert let_in.status_code == 200


async def test_with_an_address_of_the_interface_the_page_tells_that(runtime, caller):
    app = create_app(
        runtime.backend,
        None,
        runtime.backend.api_keys,
        version="1",
        base_path="/api",
        accept_invitations=runtime.backend,
        interface_address="https://inside.example.org",
    )
    token = await invited(caller)

    async with patient.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as browser:
        page = await browser.post(PAGE, data={"token": token})

    assert page.status_code == 200
    assert ">https://inside.example.org/api<" in page.text
