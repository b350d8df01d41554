"""The wire shapes of the interface: envelope, paging, ids, statuses."""

from base64 import urlsafe_b64encode
from uuid import UUID, uuid4

import pytest
from tests.support.bombs.interface import BODIES, CURSORS, Targets

from patchbay.domain.base import UserId
from patchbay.domain.people import User
from patchbay.storage.repositories import users


async def _people(runtime, *names: str) -> list[User]:
    people = [
        User(id=UserId(str(uuid4())), full_name=name, email=f"{name}@example.org", created_at=runtime.clock())
        for name in names
    ]
    for person in people:
        await runtime.db.write(lambda tx, person=person: users.add(tx, person))
    return people


async def test_a_list_comes_in_the_envelope(runtime, caller):
    flow = await runtime.backend.create_flow("One")

    answer = await caller.get("/v1/flows")

    body = answer.json()
    assert body["meta"] == {
        "type": "Flow",
        "count": 1,
        "isArray": True,
        "currentPage": 1,
        "totalPages": 1,
        "nextCursor": None,
    }
    assert {"id", "name", "active", "status", "executionInterval", "steps", "userId", "folderId"} <= set(
        body["data"][0]
    )
    assert (body["data"][0]["id"], body["data"][0]["status"]) == (flow.id, "draft")
    assert isinstance(body["data"][0]["createdAt"], int)


async def test_an_empty_list_has_no_pages_and_the_type_object(caller):
    body = (await caller.get("/v1/executions")).json()

    assert body["data"] == []
    assert (body["meta"]["type"], body["meta"]["count"], body["meta"]["totalPages"]) == ("Object", 0, 0)


async def test_a_single_object_has_no_page_numbers(runtime, caller):
    flow = await runtime.backend.create_flow("One")

    body = (await caller.get(f"/v1/flows/{flow.id}")).json()

    assert body["meta"] == {
        "type": "Flow",
        "count": 1,
        "isArray": False,
        "currentPage": None,
        "totalPages": None,
    }


async def test_an_execution_carries_its_flow_and_the_words_of_the_interface(runtime, caller, webhook_flow):
    run = await runtime.backend.run_flow(webhook_flow.id, {"name": "Ada"})

    body = (await caller.get(f"/v1/executions/{run}")).json()

    assert body["meta"]["type"] == "Execution"
    assert body["data"]["flow"]["name"] == webhook_flow.name
    assert [step["appKey"] for step in body["data"]["flow"]["steps"]] == ["tools", "tools"]
    assert body["data"]["status"] in (None, "success")
    assert body["data"]["testRun"] is False


@pytest.mark.parametrize(
    ("asked", "shown"), [("0", 1), ("-3", 1), ("abc", 1), ("", 1), ("1.9", 1), ("2abc", 2), ("9999", 9999)]
)
async def test_page_numbers_are_read_leniently(runtime, caller, asked, shown):
    for number in range(11):
        await runtime.backend.create_flow(f"Flow {number}")

    body = (await caller.get("/v1/flows", params={"page": asked})).json()

    assert (body["meta"]["currentPage"], body["meta"]["count"], body["meta"]["totalPages"]) == (shown, 11, 2)
    assert len(body["data"]) == {1: 10, 2: 1, 9999: 0}[shown]


async def test_an_enormous_page_is_an_empty_one(caller):
    answer = await caller.get("/v1/flows", params={"page": "9" * 21})

    assert (answer.status_code, answer.json()["data"]) == (200, [])


async def test_the_limit_is_at_most_two_hundred(runtime, caller):
    for number in range(12):
        await runtime.backend.create_flow(f"Flow {number}")

    assert len((await caller.get("/v1/flows?limit=11")).json()["data"]) == 11
    assert len((await caller.get("/v1/flows?limit=100000")).json()["data"]) == 12


async def test_a_cursor_leads_to_the_next_page(runtime, caller):
    for number in range(3):
        await runtime.backend.create_flow(f"Flow {number}")
    first = (await caller.get("/v1/flows?limit=2")).json()

    second = (
        await caller.get("/v1/flows", params={"limit": 2, "cursor": first["meta"]["nextCursor"]})
    ).json()

    assert len(second["data"]) == 1
    assert second["data"][0]["id"] not in {flow["id"] for flow in first["data"]}


@pytest.mark.parametrize("text", CURSORS.values(), ids=CURSORS.keys())
async def test_a_malicious_cursor_is_refused_or_read_as_a_place(caller, text):
    answer = await caller.get("/v1/flows", params={"cursor": urlsafe_b64encode(text).decode()})

    assert answer.status_code in {200, 422}


@pytest.mark.parametrize(
    "name",
    [
        "80,000 empty steps",
        "9,000 empty steps",
        "activity of 90,000 numbers",
        "90,000 allowed addresses",
    ],
)
async def test_a_long_list_of_bad_items_is_refused_with_few_words(caller, name):
    bomb = BODIES[name](Targets(user="", live="", draft="", step=""))
    headers = {"content-type": bomb.kind}

    answer = await caller.request(bomb.method, bomb.path, content=bomb.content, headers=headers)

    assert answer.status_code == 422
    assert len(answer.content) < 10_000


@pytest.mark.parametrize("nonsense", ["status=running", "startDateTime=yesterday", "endDateTime=1e99"])
async def test_conditions_that_make_no_sense_are_left_out(runtime, caller, webhook_flow, nonsense):
    await runtime.backend.run_flow(webhook_flow.id, {"name": "Ada"})

    answer = await caller.get(f"/v1/executions?{nonsense}")

    assert (answer.status_code, answer.json()["meta"]["count"]) == (200, 1)


async def test_times_of_any_size_are_taken(caller):
    answer = await caller.get("/v1/executions", params={"startDateTime": "9" * 30})

    assert answer.status_code == 200


@pytest.mark.parametrize("spell", [str.upper, lambda it: UUID(it).hex, lambda it: f"{{{it}}}"])
async def test_ids_are_known_in_every_spelling(runtime, caller, spell):
    flow = await runtime.backend.create_flow("One")

    answer = await caller.get(f"/v1/flows/{spell(flow.id)}")

    assert answer.json()["data"]["id"] == flow.id


@pytest.mark.parametrize(
    "path", ["/v1/flows/nope", "/v1/executions/nope", "/v1/flows?folderId=nope", "/v1/executions?flowId=nope"]
)
async def test_malformed_ids_are_400(caller, path):
    answer = await caller.get(path)

    assert (answer.status_code, set(answer.json())) == (400, {"errors", "meta"})


@pytest.mark.parametrize("path", ["/v1/flows", "/v1/executions", "/v1/templates", "/users"])
async def test_unknown_ids_are_404_with_words(caller, path):
    answer = await caller.get(f"{path}/{uuid4()}")

    assert answer.status_code == 404
    assert answer.json()["errors"]["general"]


async def test_flows_outside_every_folder_are_requested_with_the_text_null(runtime, caller):
    folder = await runtime.backend.create_folder("Work")
    await runtime.backend.create_flow("Filed", folder.id)
    await runtime.backend.create_flow("Loose")

    loose = (await caller.get("/v1/flows?folderId=null")).json()
    filed = (await caller.get("/v1/flows", params={"folderId": folder.id.upper()})).json()

    assert [flow["name"] for flow in loose["data"]] == ["Loose"]
    assert [flow["name"] for flow in filed["data"]] == ["Filed"]


async def test_a_flow_is_created_published_unpublished_and_deleted(runtime, caller, webhook_flow):
    owner = (await caller.get("/v1/users")).json()["data"][0]["id"]

    made = await caller.post("/v1/flows", json={"userId": owner})
    assert (made.status_code, made.json()["data"]["name"]) == (201, "Name your flow")
    path = f"/v1/flows/{made.json()['data']['id']}"
    refused = await caller.patch(f"{path}/status", json={"active": True})
    assert (refused.status_code, refused.json()["meta"]["type"]) == (422, "incompleteStepsError")
    assert len(refused.json()["errors"]["flow"]) == 2
    off = await caller.patch(f"/v1/flows/{webhook_flow.id}/status", json={"active": False})
    assert (off.status_code, off.json()["data"]["status"]) == (200, "draft")
    gone = await caller.delete(path)
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await caller.get(path)).status_code == 404


async def test_a_flow_is_made_for_the_user_that_was_named(runtime, caller, webhook_flow):
    (ada,) = await _people(runtime, "Ada")
    template = await runtime.backend.create_template("Start", webhook_flow.id)

    empty = (await caller.post("/v1/flows", json={"userId": ada.id})).json()
    filled = (await caller.post("/v1/flows", json={"userId": ada.id, "templateId": template.id})).json()

    assert (empty["data"]["userId"], filled["data"]["userId"]) == (ada.id, ada.id)
    assert (await caller.get(f"/v1/flows?userId={ada.id}")).json()["meta"]["count"] == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ([], 422),
        ("text", 422),
        ({"userId": 7}, 422),
        ({"userId": None}, 422),
        ({"userId": str(uuid4())}, 404),
        ({"userId": str(uuid4()), "templateId": str(uuid4())}, 404),
    ],
)
async def test_a_flow_needs_a_user_that_exists(caller, body, status):
    answer = await caller.post("/v1/flows", json=body)

    assert answer.status_code == status
    assert answer.json()["errors"]


async def test_forms_are_taken_like_json(runtime, caller):
    owner = (await runtime.backend.list_users())[0].id

    made = await caller.post(f"/users/{owner}/folders", data={"name": "Wörk & Play"})

    assert (made.status_code, made.json()["data"]["name"]) == (201, "Wörk & Play")


@pytest.mark.parametrize("active", ["true", 1, None])
async def test_only_true_and_false_switch_a_flow(runtime, caller, active):
    flow = await runtime.backend.create_flow("One")

    answer = await caller.patch(f"/v1/flows/{flow.id}/status", json={"active": active})

    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["active"]


async def test_templates_are_made_of_flows_read_and_deleted(runtime, caller, webhook_flow):
    made = await caller.post("/v1/templates", json={"name": "Start", "flowId": webhook_flow.id})

    path = f"/v1/templates/{made.json()['data']['id']}"
    assert made.status_code == 201
    assert (await caller.get(path)).json()["data"]["flowData"]["steps"][0]["appKey"] == "tools"
    assert (await caller.get("/v1/templates")).json()["meta"] == {
        "type": "Template",
        "count": 1,
        "isArray": True,
        "currentPage": None,
        "totalPages": None,
    }
    assert (await caller.post("/v1/templates", json={"name": "Start"})).status_code == 422
    assert (await caller.delete(path)).status_code == 204
    assert (await caller.get(path)).status_code == 404


async def test_apps_are_found_by_key_and_by_name(caller):
    assert [app["key"] for app in (await caller.get("/v1/apps?name=DES")).json()["data"]] == ["desk"]
    with_triggers = (await caller.get("/v1/apps?onlyWithTriggers=true&name=tools")).json()
    assert (with_triggers["meta"]["type"], len(with_triggers["data"])) == ("Object", 1)
    assert (await caller.get("/v1/apps/desk")).json()["data"]["auth"]["fields"][1]["key"] == "apiKey"
    assert (await caller.get("/v1/apps/nope")).status_code == 404


@pytest.mark.parametrize("prefix", ["", "/v1"])
async def test_users_come_in_pages_by_name(runtime, caller, prefix):
    await _people(runtime, *(f"Person {number:02}" for number in range(12)))

    first = (await caller.get(f"{prefix}/users")).json()
    second = (await caller.get(f"{prefix}/users?page=2")).json()

    assert (len(first["data"]), len(second["data"]), first["meta"]["count"]) == (10, 3, 13)
    one = (await caller.get(f"{prefix}/users/{first['data'][3]['id']}")).json()
    assert one["data"]["fullName"] == first["data"][3]["fullName"]


@pytest.mark.parametrize("prefix", ["", "/v1"])
async def test_folders_of_a_user_with_and_without_the_prefix(runtime, caller, prefix):
    (ada,) = await _people(runtime, "Ada")
    folders = f"{prefix}/users/{ada.id}/folders"

    made = await caller.post(folders, json={"name": "Work"})
    folder = made.json()["data"]["id"]
    assert (made.status_code, made.json()["meta"]["type"]) == (201, "Folder")
    assert (await caller.post(folders, json={})).status_code == 422
    renamed = await caller.patch(f"{folders}/{folder}", json={"name": "Play"})
    assert (renamed.status_code, renamed.json()["data"]["name"]) == (200, "Play")
    assert [item["name"] for item in (await caller.get(folders)).json()["data"]] == ["Play"]
    gone = await caller.delete(f"{folders}/{folder}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await caller.delete(f"{folders}/{folder}")).status_code == 404


async def test_a_folder_of_another_user_is_not_found(runtime, caller):
    ada, eve = await _people(runtime, "Ada", "Eve")
    folder = await runtime.backend.create_folder("Ada's", ada.id)

    assert (await caller.delete(f"/users/{eve.id}/folders/{folder.id}")).status_code == 404
    assert (await caller.patch(f"/users/{eve.id}/folders/{folder.id}", json={"name": "x"})).status_code == 404
    assert (await caller.get(f"/users/{uuid4()}/folders")).status_code == 404
    assert (await caller.delete(f"/users/{ada.id}/folders/nope")).status_code == 400
    assert len(await runtime.backend.list_folders(ada.id)) == 1
