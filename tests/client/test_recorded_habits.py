"""The recorded service itself answers as others do: by the byte, habit by habit."""

import pytest
from tests.support import patient
from tests.support.recorded_service import KEY, PAGE, TRACE, Habits, RecordedService

MARA = "a1000001-0b1c-4d2e-8f30-000000000001"
FLOW = "f1000001-0b1c-4d2e-8f30-000000000001"
NOBODY = "00000000-0000-4000-8000-000000000000"
LIVE, UNREADY = f"/v1/flows/{FLOW}/status", "/v1/flows/f1000007-0b1c-4d2e-8f30-000000000007/status"


@pytest.fixture
async def habits(request):
    return getattr(request, "param", Habits())


@pytest.fixture
async def ask(habits):
    service = RecordedService(habits)
    await service.start()
    headers = {"x-api-token": KEY}
    async with patient.AsyncClient(base_url=service.base_url, headers=headers, trust_env=False) as client:
        yield client.request
    await service.stop()


@pytest.mark.parametrize(
    ("path", "meta"),
    [
        ("/v1/flows", ("Flow", 13, True, 1, 2)),
        ("/v1/flows?page=9999", ("Object", 13, True, 9999, 2)),
        ("/v1/executions?name=nothing", ("Object", 0, True, 1, 0)),
        ("/v1/apps", ("Object", 9, True, None, None)),
        (f"/v1/users/{MARA}", ("User", 1, False, None, None)),
    ],
)
async def test_the_envelope_counts_matches_and_an_empty_list_is_of_objects(ask, path, meta):
    names = ("type", "count", "isArray", "currentPage", "totalPages")

    assert (await ask("GET", path)).json()["meta"] == dict(zip(names, meta, strict=True))


@pytest.mark.parametrize(
    ("page", "means"), [("0", 1), ("-3", 1), ("abc", 1), ("", 1), ("1.9", 1), ("2abc", 2)]
)
async def test_any_page_is_a_page(ask, page, means):
    assert (await ask("GET", f"/v1/executions?page={page}")).json()["meta"]["currentPage"] == means


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/flows/no-id", 400),
        ("GET", "/v1/flows?userId=no-id", 400),
        ("GET", f"/v1/flows/{NOBODY}", 404),
        ("POST", "/v1/nothing", 404),
        ("DELETE", "/v1/connections", 404),
        ("PATCH", "/users", 404),
        ("DELETE", f"/v1/user-invitations/{MARA}", 404),
        ("POST", "/v1/flows", 500),
        ("POST", "/v1/templates", 500),
        ("POST", "/v1/user-invitations", 500),
    ],
)
async def test_errors_have_neither_a_body_nor_a_type(ask, method, path, status):
    answer = await ask(method, path, json={"fullName": "X"} if method == "POST" else None)

    assert (answer.status_code, answer.content, "content-type" in answer.headers) == (status, b"", False)


async def test_keys_bodies_and_names_are_refused_the_same_way(ask):
    refused = [
        await ask("GET", "/v1/flows", headers={"x-api-token": "wrong"}),
        await ask("POST", "/v1/flows", content=b"{", headers={"x-api-token": "wrong"}),
        await ask("POST", "/v1/flows", content=b"x" * 1_100_000),
        await ask("POST", f"/v1/users/{MARA}/folders", json={"name": "x" * 256}),
        await ask("POST", "/v1/flows", json={"userId": None}),
    ]

    assert [answer.status_code for answer in refused] == [401, 400, 413, 400, 404]
    assert {answer.content for answer in refused} == {b""}


async def test_only_422_says_what_is_wrong(ask):
    unready = await ask("PATCH", UNREADY, json={"active": True})
    nameless = await ask("POST", f"/v1/users/{MARA}/folders", json={"name": ""})
    role = (await ask("GET", f"/v1/users/{MARA}")).json()["data"]["role"]["id"]
    body = {"fullName": "X", "email": "NOOR@harbour.example", "roleId": role}
    taken = await ask("POST", "/v1/user-invitations", json=body)

    assert [answer.status_code for answer in (unready, nameless, taken)] == [422, 422, 422]
    assert [answer.json()["meta"] for answer in (unready, nameless, taken)] == [
        {"type": "incompleteStepsError"},
        {"type": "ModelValidation"},
        {"type": "UniqueViolationError"},
    ]
    assert [list(answer.json()["errors"]) for answer in (unready, nameless, taken)] == [
        ["flow"],
        ["name"],
        ["email"],
    ]


@pytest.mark.parametrize("active", ["true", 1, None])
async def test_only_true_and_false_switch_a_flow(ask, active):
    assert (await ask("PATCH", LIVE, json={"active": active})).json()["errors"] == {
        "active": ["must be boolean"]
    }


async def test_an_unknown_get_is_a_web_page(ask):
    for path in ("/v1/info", "/v1/connections", "/users", "/anything"):
        answer = await ask("GET", path)
        assert (answer.status_code, answer.content) == (200, PAGE)
        assert answer.headers["content-type"].startswith("text/html")


async def test_flows_say_neither_whose_they_are_nor_where(ask):
    listed = (await ask("GET", "/v1/flows")).json()["data"][0]
    made = (await ask("POST", "/v1/flows", json={"userId": MARA})).json()["data"]
    read = (await ask("GET", f"/v1/flows/{made['id']}")).json()["data"]

    assert {"userId", "folderId"}.isdisjoint({*listed, *made, *read})
    assert ("steps" in made, len(read["steps"]), made["name"]) == (False, 2, "Name your flow")


async def test_the_same_status_again_comes_without_steps(ask):
    assert "steps" not in (await ask("PATCH", LIVE, json={"active": True})).json()["data"]
    assert "steps" in (await ask("PATCH", LIVE, json={"active": False})).json()["data"]


async def test_executions_have_the_flow_and_no_results(ask):
    newest, *others = (await ask("GET", "/v1/executions")).json()["data"]

    assert set(newest) == {"id", "testRun", "status", "createdAt", "updatedAt", "flow"}
    assert newest["status"] is None
    assert {run["status"] for run in others} == {"success", "failure"}


@pytest.mark.parametrize(
    "query", ["status=running", "startDateTime=soon", "flowId=x", "limit=50", "testRun=true"]
)
async def test_what_it_does_not_know_is_ignored(ask, query):
    meta = (await ask("GET", f"/v1/executions?{query}")).json()["meta"]

    assert (meta["count"], meta["totalPages"]) == (24, 3)


@pytest.mark.parametrize("spelt", [FLOW.upper(), FLOW.replace("-", ""), f"{{{FLOW}}}"])
async def test_ids_are_read_in_every_spelling(ask, spelt):
    assert (await ask("GET", f"/v1/flows/{spelt}")).json()["data"]["id"] == FLOW


async def test_names_are_matched_with_wildcards(ask):
    found = (await ask("GET", "/v1/flows", params={"name": "ship%_0"})).json()["data"]

    assert [flow["name"] for flow in found] == ["Ship arrivals 100%"]


async def test_addresses_are_absolute(ask):
    app = (await ask("GET", "/v1/apps/rss")).json()["data"]
    step = (await ask("GET", f"/v1/flows/{FLOW}")).json()["data"]["steps"][0]

    assert app["iconUrl"].startswith("https://automation.example.org/apps/rss/")
    assert step["webhookUrl"] == f"https://automation.example.org/webhooks/flows/{FLOW}"


@pytest.mark.parametrize("habits", [Habits(people="")], indirect=True)
async def test_one_that_follows_its_description_has_people_without_v1(ask):
    assert (await ask("GET", "/users")).json()["meta"]["count"] == 3
    assert (await ask("GET", "/v1/users")).content == PAGE


@pytest.mark.parametrize("habits", [Habits(templates=False)], indirect=True)
async def test_one_without_templates_forbids_them(ask):
    assert [(await ask(method, "/v1/templates", json={})).status_code for method in ("GET", "POST")] == [
        403,
        403,
    ]


@pytest.mark.parametrize("habits", [Habits(licence=False)], indirect=True)
async def test_one_without_a_licence_has_nothing(ask):
    assert [(await ask("GET", path)).status_code for path in ("/v1/flows", "/v1/apps", "/x")] == [404] * 3


@pytest.mark.parametrize("habits", [Habits(stack_traces=True)], indirect=True)
async def test_one_shows_a_stack_trace(ask):
    answer = await ask("POST", "/v1/flows", json={})

    assert (answer.status_code, answer.content) == (500, TRACE)
