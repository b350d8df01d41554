"""The description of the interface: complete, readable, and what is really sent."""

import importlib
import json
import pkgutil
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import httpx
import jsonschema_rs
import pytest
from tests.support import operation_tables, patient
from tests.support.contract_workspaces import served
from tests.support.described import as_described, description
from tests.support.forms import in_forms, long_form

import patchbay.domain
from patchbay.domain.errors import AppError
from patchbay.domain.ports import WEBHOOK_ERROR
from patchbay.server.openapi_operations import iter_operations
from patchbay.server.openapi_schemas import BODY_EXAMPLES
from patchbay.server.responses import ERROR_KINDS


@cache
def operations():
    """The name and description of each operation."""
    return [
        (f"{method.upper()} {path}", operation) for path, method, operation in iter_operations(description())
    ]


@long_form
def test_every_operation_says_what_it_is_for():
    for name, operation in operations():
        assert re.fullmatch(r"[A-Z][\w ]+", operation["summary"]), name
        assert operation["description"].split("\n\n")[0].endswith("."), name
        assert len(operation["tags"]) == 1, name
        assert any(status < "300" for status in operation["responses"]), name


def test_every_operation_has_an_id_of_its_own():
    ids = [operation["operationId"] for _, operation in operations()]

    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][A-Za-z]+", name) for name in ids)


def test_every_tag_is_explained():
    used = {tag for _, operation in operations() for tag in operation["tags"]}

    assert used == {tag["name"] for tag in description()["tags"]}


def test_every_error_is_described_with_the_one_shape_of_errors():
    shared = description()["components"]["responses"]
    for name, operation in operations():
        for status, answer in operation["responses"].items():
            if status.isdigit() and status >= "400":
                told = shared[answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
                assert told["description"], name
                schema = told["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Failure"}, (name, status)


@pytest.mark.parametrize("status", ["401", "403", "429", "500", "503"])
def test_every_operation_with_a_key_says_what_happens_without(status):
    assert all(status in operation["responses"] for _, operation in operations() if "security" in operation)


@pytest.mark.parametrize("status", ["400", "408", "413", "415", "422"])
def test_every_operation_with_a_body_says_which_bodies_are_refused(status):
    bodies = [it for name, it in operations() if "requestBody" in it and "security" in it]

    assert bodies
    assert all(status in operation["responses"] for operation in bodies)


def test_operations_name_the_scope_that_a_key_needs():
    scopes = {
        it["operationId"]: it["security"][0]["ApiKeyAuth"] for _, it in operations() if "security" in it
    }

    assert scopes["listExecutions"] == scopes["getFlow"] == ["read"]
    assert scopes["createFlow"] == scopes["deleteFolderOfUserWithoutVersion"] == ["operate"]
    assert scopes["createApiKey"] == scopes["auditLog"] == ["admin"]


def test_the_kinds_of_errors_and_of_data_are_listed():
    schemas = description()["components"]["schemas"]

    assert schemas["FailureMeta"]["properties"]["type"]["enum"] == list(ERROR_KINDS)
    assert _types(schemas["OneFlow"]) == ["Flow"]
    assert _types(schemas["ManyFolder"]) == ["Folder", "Object"]
    assert _types(schemas["OneAppInfo"]) == ["Object"]


def test_the_list_of_error_kinds_is_complete_and_does_not_depend_on_what_was_imported():
    for module in pkgutil.walk_packages(patchbay.domain.__path__, "patchbay.domain."):
        importlib.import_module(module.name)
    kinds = {WEBHOOK_ERROR} | {error.kind for error in _with_subclasses(AppError)}

    assert kinds == set(ERROR_KINDS)
    assert list(ERROR_KINDS) == sorted(set(ERROR_KINDS))


def _with_subclasses(error):
    return [error, *(found for child in error.__subclasses__() for found in _with_subclasses(child))]


def _types(answer):
    return answer["properties"]["meta"]["allOf"][1]["properties"]["type"]["enum"]


def test_what_was_made_leads_to_what_can_be_done_with_it():
    paths = description()["paths"]
    links = paths["/v1/flows"]["post"]["responses"]["201"]["links"]
    own = paths["/users/{userId}/folders"]["post"]["responses"]["201"]["links"]

    assert {"getFlow", "deleteFlow", "runFlow"} <= set(links)
    assert links["getFlow"]["parameters"] == {"flowId": "$response.body#/data/id"}
    assert own["deleteFolderOfUserWithoutVersion"]["parameters"] == {
        "folderId": "$response.body#/data/id",
        "userId": "$request.path.userId",
    }


@pytest.mark.parametrize("name", sorted(BODY_EXAMPLES))
def test_examples_are_valid(name):
    components = description()["components"]
    schema = {"$ref": f"#/components/schemas/{name}", "components": components}

    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    assert [error.message for error in validator.iter_errors(BODY_EXAMPLES[name])] == []


def test_every_body_has_an_example():
    schemas = description()["components"]["schemas"]
    bodies = [
        json.dumps(it["requestBody"]) for name, it in operations() if "security" in it and "requestBody" in it
    ]
    used = {name for body in bodies for name in re.findall(r"#/components/schemas/([\w-]+)", body)}

    assert {name for name in used if "examples" not in schemas[name]} == set()


def test_the_page_about_the_interface_lists_every_operation():
    assert operation_tables.written() == operation_tables.tables(), (
        "write them: python -m tests.support.operation_tables"
    )


async def test_an_answer_that_is_not_described_is_noticed():
    request = httpx.Request("GET", "http://here/v1/flows")

    with pytest.raises(AssertionError, match="only"):
        await as_described(httpx.Response(418, request=request))
    with pytest.raises(AssertionError, match="extra"):
        await as_described(httpx.Response(200, request=request, json=_flows() | {"extra": 1}))
    await as_described(httpx.Response(200, request=request, json=_flows()))


def _flows():
    meta = {
        "type": "Object",
        "count": 0,
        "isArray": True,
        "currentPage": 1,
        "totalPages": 0,
        "nextCursor": None,
    }
    return {"data": [], "meta": meta}


class _References(HTMLParser):
    """What a page loads, and which scripts stand in it."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.scripts_inside = 0

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.loads += [given[name] for name in ("src", "href") if name in given]
        self.scripts_inside += tag == "script" and "src" not in given


@pytest.mark.parametrize("base_path", in_forms(["", "/api"], short=["/api"]))
async def test_the_page_loads_nothing_from_other_servers(runtime, base_path):
    async with served(runtime, base_path=base_path) as service, patient.AsyncClient() as browser:
        for address in {f"{service.base_url}/docs", f"{service.base_url}{base_path}/docs"}:
            page = await browser.get(address)
            found = _References()
            found.feed(page.text)
            policy = page.headers["content-security-policy"]
            loads = [httpx.URL(address).join(it) for it in found.loads if not it.startswith("data:")]
            answers = [await browser.get(it) for it in loads]

            assert page.headers["content-type"] == "text/html; charset=utf-8"
            assert found.scripts_inside == 0
            assert "default-src 'none'" in policy
            assert {"script-src 'self'", "style-src 'self'"} <= set(policy.split("; "))
            assert "http" not in policy
            assert {it.host for it in loads} == {"127.0.0.1"}
            assert [answer.status_code for answer in answers] == [200] * 5
            assert json.loads(answers[-3].content)["openapi"].startswith("3.1")


async def test_the_page_keeps_no_key_and_sends_the_description_nowhere():
    script = (Path(__file__).parents[2] / "resources" / "docs" / "page.js").read_text("utf-8")

    assert "persistAuthorization: false" in script
    assert "validatorUrl: null" in script
    assert "://" not in script
