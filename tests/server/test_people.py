"""Users, their folders and roles over HTTP."""

from uuid import uuid4

import pytest

from patchbay.domain.access import Scope
from patchbay.domain.people import ADMIN, EDITOR, VIEWER


@pytest.fixture
async def dana(runtime):
    return await runtime.backend.create_user("Dana", "dana@example.org", VIEWER.id)


@pytest.mark.parametrize("before", ["", "/v1"])
async def test_users_answer_with_and_without_v1(runtime, caller, dana, before):
    folder = await runtime.backend.create_folder("Hers", dana.id)

    listed = (await caller.get(f"{before}/users")).json()
    single = (await caller.get(f"{before}/users/{dana.id}")).json()
    folders = (await caller.get(f"{before}/users/{dana.id}/folders")).json()
    renamed = await caller.patch(f"{before}/users/{dana.id}/folders/{folder.id}", json={"name": "New"})
    deleted = await caller.delete(f"{before}/users/{dana.id}/folders/{folder.id}")

    assert [person["fullName"] for person in listed["data"]] == ["Dana", "Owner"]
    assert (listed["meta"]["type"], listed["meta"]["currentPage"]) == ("User", 1)
    assert single["data"]["role"]["id"] == VIEWER.id
    assert (single["data"]["email"], single["data"]["status"]) == ("dana@example.org", "active")
    assert [item["name"] for item in folders["data"]] == ["Hers"]
    assert renamed.json()["data"]["name"] == "New"
    assert (deleted.status_code, deleted.content) == (204, b"")


async def test_a_person_is_made_changed_and_removed(caller):
    made = await caller.post("/users", json={"fullName": "Eve", "email": "Eve@Example.org"})
    person = made.json()["data"]
    changed = await caller.patch(f"/users/{person['id']}", json={"roleId": ADMIN.id})
    removed = await caller.delete(f"/users/{person['id']}")

    assert (made.status_code, person["email"], person["role"]["id"]) == (201, "eve@example.org", EDITOR.id)
    assert changed.json()["data"]["role"]["isAdmin"]
    assert (removed.status_code, removed.content) == (204, b"")
    assert (await caller.get(f"/users/{person['id']}")).status_code == 404
    assert (await caller.delete(f"/users/{person['id']}")).status_code == 404


async def test_roles_are_listed(caller):
    body = (await caller.get("/v1/roles")).json()

    assert [role["key"] for role in body["data"]] == ["admin", "editor", "viewer"]
    assert body["meta"]["count"] == 3


async def test_what_is_missing_or_ill_typed_is_422_and_names_its_field(caller):
    good = {"fullName": "X", "email": "x@example.org"}
    wrong = [
        ({"email": "x@example.org"}, "fullName"),
        ({"fullName": "X"}, "email"),
        ({**good, "email": 5}, "email"),
        ({**good, "email": "nonsense"}, "email"),
        ({**good, "roleId": "nonsense"}, "roleId"),
        ({**good, "roleId": 5}, "roleId"),
        ({**good, "roleId": str(uuid4())}, "roleId"),
        ([], "general"),
        ("text", "general"),
        ({**good, "role": "viewer"}, "role"),
        ({**good, "role": None}, "role"),
    ]

    for body, field in wrong:
        answer = await caller.post("/v1/users", json=body)

        assert (answer.status_code, field in answer.json()["errors"]) == (422, True), body
    assert "roleId" in (await caller.post("/v1/users", json={**good, "role": {}})).text
    assert len((await caller.get("/v1/users")).json()["data"]) == 1


async def test_an_address_that_is_known_is_a_violation_of_what_is_unique(caller, dana):
    answer = await caller.post("/v1/users", json={"fullName": "Other", "email": "DANA@example.org"})

    body = answer.json()
    assert (answer.status_code, body["meta"]["type"]) == (422, "UniqueViolationError")
    assert list(body["errors"]) == ["email"]


async def test_the_owner_is_not_removed(runtime, caller):
    owner = (await runtime.backend.list_users())[0]

    answer = await caller.delete(f"/v1/users/{owner.id}")

    assert answer.status_code == 409
    assert "owns this workspace" in answer.json()["meta"]["happened"]


async def test_malformed_ids_are_400_and_unknown_ones_404(caller):
    for path in ("/v1/users/{}", "/users/{}/folders"):
        malformed, unknown = [await caller.get(path.format(key)) for key in ("nonsense", uuid4())]

        assert (malformed.status_code, unknown.status_code) == (400, 404)
        assert malformed.json()["errors"]
        assert unknown.json()["errors"]


async def test_the_folder_of_another_person_is_not_there(runtime, caller, dana):
    owner = (await runtime.backend.list_users())[-1]
    hers = await runtime.backend.create_folder("Hers", dana.id)
    flow = await runtime.backend.create_flow("Mine")
    path = f"/users/{owner.id}/folders/{hers.id}"

    refused = [
        await caller.patch(path, json={"name": "Mine now"}),
        await caller.delete(path),
        await caller.patch(f"/v1/folders/{hers.id}", json={"name": "Mine now"}),
        await caller.delete(f"/v1/folders/{hers.id}"),
        await caller.patch(f"/v1/flows/{flow.id}/folder", json={"folderId": hers.id}),
        await caller.post("/v1/flows", json={"userId": owner.id, "folderId": hers.id}),
    ]

    assert {answer.status_code for answer in refused} == {404}
    assert [folder.name for folder in await runtime.backend.list_folders(dana.id)] == ["Hers"]
    assert (await runtime.backend.get_flow(flow.id)).folder_id is None


async def test_a_template_with_a_folder_makes_a_flow_in_it_or_none(runtime, caller, dana):
    owner = (await runtime.backend.list_users())[-1]
    mine = await runtime.backend.create_folder("Mine")
    hers = await runtime.backend.create_folder("Hers", dana.id)
    template = await runtime.backend.create_template("Start", (await runtime.backend.create_flow("One")).id)
    body = {"userId": owner.id, "templateId": template.id}

    made = await caller.post("/v1/flows", json={**body, "folderId": mine.id})
    refused = await caller.post("/v1/flows", json={**body, "folderId": hers.id})

    assert (made.status_code, made.json()["data"]["folderId"]) == (201, mine.id)
    assert refused.status_code == 404


async def test_people_are_managed_by_admins_only(runtime, caller, dana):
    made = await runtime.backend.create_api_key("not enough", Scope.OPERATE)
    invitation = {"fullName": "X", "email": "x@example.org", "roleId": EDITOR.id}

    for method, path, body in (
        ("POST", "/users", {"fullName": "X", "email": "x@example.org"}),
        ("PATCH", f"/v1/users/{dana.id}", {"fullName": "X"}),
        ("DELETE", f"/users/{dana.id}", None),
        ("GET", "/v1/user-invitations", None),
        ("POST", "/user-invitations", invitation),
        ("DELETE", f"/v1/user-invitations/{dana.id}", None),
    ):
        answer = await caller.request(method, path, json=body, headers={"x-api-token": made.value})

        assert answer.status_code == 403, path
        assert "operate" in answer.json()["meta"]["meaning"]
    assert len(await runtime.backend.list_users()) == 2


async def test_who_is_removed_hears_of_nothing_any_more(runtime, caller, service, dana):
    backend = runtime.backend
    await backend.update_user(dana.id, role_id=ADMIN.id)
    hers = {"x-api-token": (await backend.create_api_key("hers", Scope.ADMIN, dana.id)).value}

    async with caller.stream("GET", "/v1/events", headers=hers) as stream:
        lines = stream.aiter_lines()
        assert await anext(lines) == ": connected"
        await backend.create_folder("Seen")
        told = [line async for line in _until_notified(lines, "folder")]
        await backend.delete_user(dana.id)
        await backend.create_flow("Unseen")
        after = [line async for line in lines]

    assert any('"noun":"folder"' in line for line in told)
    assert "flow" not in "".join(after)


async def _until_notified(lines, noun):
    async for line in lines:
        yield line
        if f'"noun":"{noun}"' in line:
            return
